import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Fills a folder with files of some sizes, modes, owners and times, folders, links and odd names, and (where the mover keeps
 * them) an extended attribute; returns the bytes in files.
 */
export function fillTree(folder: string, sizes: readonly number[], xattrs = false): number {
  mkdirSync(join(folder, "deep", "empty"), { recursive: true });
  sizes.forEach((size, i) => {
    const path = join(folder, i % 2 === 0 ? `file-${i}` : join("deep", `file ${i}\n.txt`));
    writeFileSync(path, randomBytes(size), { mode: i % 3 === 0 ? 0o640 : 0o755 });
    if (process.getuid?.() === 0) chownSync(path, 1000 + i, 2000 + i);
    utimesSync(path, 1_600_000_000 + i, 1_600_000_000 + i);
  });
  writeFileSync(join(folder, "nothing"), "");
  symlinkSync("file-0", join(folder, "link"));
  symlinkSync("/nowhere/at/all", join(folder, "deep", "dangling"));
  if (xattrs && !noXattrs) setXattr(join(folder, "nothing"), "user.headway", "0x00ff0a");
  utimesSync(join(folder, "deep", "empty"), 1_500_000_000, 1_500_000_000);
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** One line for everything below a folder: path, kind, owner, mode, time, and what is in it; then the extended attributes. */
export function treeLines(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path !== ".velero" && !path.startsWith(".velero/"))
    .sort()
    .map((path) => {
      const full = join(folder, path);
      const facts = lstatSync(full);
      const rights = `${facts.uid}:${facts.gid} ${(facts.mode & 0o7777).toString(8)}`;
      if (facts.isSymbolicLink()) return `${path} -> ${readlinkSync(full)}`;
      const time = Math.floor(facts.mtimeMs / 1000);
      if (facts.isDirectory()) return `${path}/ ${rights}`;
      return `${path} ${rights} ${time} ${createHash("sha256").update(readFileSync(full)).digest("hex")}`;
    });
  return [...entries, ...xattrLines(folder)];
}

/** Why extended attributes cannot be tested on this machine; undefined where they can. Then `test/xattrs.test.ts` is not skipped. */
export const noXattrs: string | undefined = (() => {
  const folder = mkdtempSync(join(tmpdir(), "xattrs-"));
  const end = spawnSync("setfattr", ["-n", "user.probe", "-v", "1", folder], { encoding: "utf8" });
  rmSync(folder, { recursive: true });
  return end.status === 0 ? undefined : `no extended attributes: ${end.error?.message ?? end.stderr.trim()}`;
})();

/** Sets an extended attribute by the program `setfattr`: Node has no call for it. */
export function setXattr(path: string, name: string, value: string): void {
  const end = spawnSync("setfattr", ["-h", "-n", name, "-v", value, path], { encoding: "utf8" });
  if (end.status !== 0) throw new Error(`cannot set ${name} of ${path}: ${end.error?.message ?? end.stderr}`);
}

/** The extended attributes of everything below a folder. */
export function xattrLines(folder: string): string[] {
  const end = spawnSync("getfattr", ["-R", "-P", "-h", "-d", "-e", "hex", "."], {
    cwd: folder,
    encoding: "utf8",
  });
  return (end.stdout ?? "")
    .split("\n\n")
    .filter((block) => block !== "")
    .sort();
}
