// Lays out the image of deploy/image/Dockerfile in a folder, where no container engine is at hand: the same files, as the Dockerfile names
// them, over busybox instead of Debian. Needs `npm ci` and `npm run build` before.
//   node scripts/image-root.ts FOLDER MOVERS     MOVERS: the folders with restic and kopia, separated as in PATH
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { parseDockerfile, productionPackages } from "./image-files.ts";

const repository = join(import.meta.dirname, "..");
const [root, movers] = process.argv.slice(2);
if (root === undefined || movers === undefined) throw new Error("usage: image-root.ts FOLDER MOVERS");

for (const folder of ["bin", "etc/ssl/certs", "root", "var", "usr/local/bin"]) {
  mkdirSync(join(root, folder), { recursive: true });
}
mkdirSync(join(root, "tmp"));
chmodSync(join(root, "tmp"), 0o1777);
writeFileSync(
  join(root, "etc/passwd"),
  "root:x:0:0:root:/root:/bin/sh\nheadway:x:65532:65532::/tmp:/bin/sh\n",
);
writeFileSync(join(root, "etc/group"), "root:x:0:\nheadway:x:65532:\n");
copyFileSync("/bin/busybox", join(root, "bin/busybox"));
for (const applet of execFileSync("/bin/busybox", ["--list"], { encoding: "utf8" }).trim().split("\n")) {
  if (applet !== "busybox") symlinkSync("busybox", join(root, "bin", applet));
}
// Movers read the authorities from here; Node has its own.
copyFileSync("/etc/ssl/certs/ca-certificates.crt", join(root, "etc/ssl/certs/ca-certificates.crt"));
copyProgram(process.execPath, "usr/local/bin/node");

for (const { stage, from, to } of parseDockerfile(
  readFileSync(join(repository, "deploy/image/Dockerfile"), "utf8"),
)) {
  if (stage === "movers") copyProgram(findProgram(basename(from)), join(to, basename(from)));
  else if (basename(from) === "node_modules") copyPackages(to);
  else cpSync(join(repository, from.replace(/^\/src\//, "")), join(root, to), { recursive: true });
}

function findProgram(name: string): string {
  const found = (movers ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(existsSync);
  if (found === undefined) throw new Error(`no ${name} in "${movers}"`);
  return found;
}

/** What `npm prune --omit=dev` leaves. */
function copyPackages(to: string): void {
  const lock: unknown = JSON.parse(readFileSync(join(repository, "package-lock.json"), "utf8"));
  for (const path of productionPackages(lock)) {
    cpSync(join(repository, path), join(root ?? "", dirname(to), path), { recursive: true });
  }
}

/** A program with the libraries that it is linked to, where it looks for them. */
function copyProgram(from: string, to: string): void {
  mkdirSync(dirname(join(root ?? "", to)), { recursive: true });
  copyFileSync(from, join(root ?? "", to));
  chmodSync(join(root ?? "", to), 0o755);
  for (const library of librariesOf(from)) {
    mkdirSync(dirname(join(root ?? "", library)), { recursive: true });
    copyFileSync(library, join(root ?? "", library));
  }
}

function librariesOf(program: string): string[] {
  try {
    const said = execFileSync("ldd", [program], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return [...said.matchAll(/(\/\S+) \(0x/g)].map(([, path = ""]) => path);
  } catch {
    return []; // linked to nothing
  }
}
