import { createHash, randomBytes } from "node:crypto";
import {
  chmod,
  lchown,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { setXattr } from "./tree.ts";

/** What a mover keeps, as far as movers differ. */
export interface Kept {
  readonly rawNames: boolean;
  readonly folderTimes: boolean;
  readonly xattrs: boolean;
}

/** The content of a file that has two names. */
export const hardLinked = "#!/bin/sh\n";

/** Everything that a volume may hold and that must come back. */
export async function fillOdd(folder: string, kept: Kept): Promise<void> {
  await mkdir(join(folder, "dir/deep"), { recursive: true });
  await writeFile(join(folder, "dir/deep/random"), randomBytes(300_000));
  await writeFile(join(folder, "empty"), "");
  await writeFile(join(folder, "new\nline"), "newline in the name");
  await writeFile(join(folder, "ünï 日本 💾"), "unicode");
  await writeFile(join(folder, "-dash"), "looks like a flag");
  if (kept.rawNames)
    await writeFile(Buffer.concat([Buffer.from(`${folder}/raw-`), Buffer.from([0xff])]), "not UTF-8");
  const sparse = await open(join(folder, "sparse"), "w");
  await sparse.truncate(20_000_000);
  await sparse.write("end", 19_999_997);
  await sparse.close();
  await writeFile(join(folder, "script"), hardLinked);
  await chmod(join(folder, "script"), 0o750);
  await utimes(join(folder, "script"), 1_600_000_000, 1_500_000_000);
  await symlink("dir/deep", join(folder, "link"));
  await symlink("nowhere", join(folder, "dangling"));
  await link(join(folder, "script"), join(folder, "hard"));
  // Movers that obey such markers would leave data out.
  await mkdir(join(folder, "cachedir"));
  await writeFile(join(folder, "cachedir/CACHEDIR.TAG"), "Signature: 8a477f597d28d172789f06886806bc55");
  await writeFile(join(folder, "cachedir/data"), "still data");
  await writeFile(join(folder, ".kopiaignore"), "*\n");
  if (process.getuid?.() === 0) {
    await lchown(join(folder, "script"), 1234, 4321);
  }
  if (kept.xattrs) {
    setXattr(join(folder, "script"), "user.binary", "0x00ff0a22");
    setXattr(join(folder, "dir"), "user.of-a-folder", "yes");
  }
  await utimes(join(folder, "dir"), 1_600_000_000, 1_400_000_000);
}

interface Facts {
  readonly what: string;
  readonly mode: number;
  readonly owner: string;
  readonly bytes: number;
  readonly mtimeS: number;
}

/** Everything that must come back, by raw name. */
export async function describeTree(folder: string, kept: Kept): Promise<Map<string, Facts>> {
  const found = new Map<string, Facts>();
  const root = Buffer.from(`${folder}/`);
  const queue: Buffer[] = [Buffer.alloc(0)];
  for (let below = queue.shift(); below !== undefined; below = queue.shift()) {
    for (const name of await readdir(Buffer.concat([root, below]), { encoding: "buffer" })) {
      const path = Buffer.concat([below, name]);
      const full = Buffer.concat([root, path]);
      const facts = await lstat(full);
      if (facts.isDirectory()) queue.push(Buffer.concat([path, Buffer.from("/")]));
      found.set(path.toString("latin1"), {
        what: facts.isDirectory()
          ? "folder"
          : facts.isSymbolicLink()
            ? `link to ${await readlink(full)}`
            : createHash("sha256")
                .update(await readFile(full))
                .digest("hex"),
        mode: facts.mode,
        owner: `${facts.uid}:${facts.gid}`,
        bytes: facts.isFile() ? facts.size : 0,
        mtimeS:
          facts.isSymbolicLink() || (facts.isDirectory() && !kept.folderTimes)
            ? 0
            : Math.floor(facts.mtimeMs / 1000),
      });
    }
  }
  return found;
}
