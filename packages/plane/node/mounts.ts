import { lstatSync, mkdirSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** A folder or file of the host and where a container sees it. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

/** What the host's file system looks like; a test brings its own. */
export interface Host {
  exists(path: string): boolean;
  realpath(path: string): string;
  children(path: string): readonly { readonly name: string; readonly kind: "folder" | "file" | "link" }[];
  isFile(path: string): boolean;
}

/**
 * A shell script that builds a container's view of the file system in a mount namespace of its own and runs `"$@"` in it.
 *
 * The view is a small tmpfs onto which the host's top-level folders are bound, so that mount points which the host does not
 * have can be made without touching the host. A mount point below an existing folder that lacks it makes that folder a
 * tmpfs too, with the old children bound into it.
 */
export function mountScript(root: string, mounts: readonly Mount[], host: Host): string {
  const lines = ["set -e", `mount -t tmpfs -o mode=755 tmpfs ${quote(root)}`];
  const rebuilt = new Set<string>();
  const rebuild = (folder: string): void => {
    if (rebuilt.has(folder)) return;
    rebuilt.add(folder);
    if (folder !== "/") lines.push(`mount -t tmpfs -o mode=755 tmpfs ${quote(root + folder)}`);
    for (const child of host.children(folder)) {
      if (isNeeded(folder, child)) lines.push(...bindChild(root, folder, child));
    }
  };
  rebuild("/");
  const placed = mounts.map((mount) => ({ ...mount, ...place(mount.target, host) }));
  for (const { anchor, rest } of placed.toSorted((a, b) => a.anchor.length - b.anchor.length)) {
    if (rest !== "") rebuild(anchor);
  }
  for (const { source, anchor, rest, readOnly } of placed.toSorted(
    (a, b) => a.target.length - b.target.length,
  )) {
    const target = quote(root + join(anchor, rest));
    if (host.isFile(source))
      lines.push(`mkdir -p ${quote(root + dirname(join(anchor, rest)))}; [ -e ${target} ] || : > ${target}`);
    else lines.push(`mkdir -p ${target}`);
    lines.push(`mount --bind ${quote(source)} ${target}`);
    if (readOnly) lines.push(`mount -o remount,bind,ro ${target}`);
  }
  return [...lines, `exec chroot ${quote(root)} "$@"`].join("\n");
}

/** Devices that a container has, too; a host has hundreds, and each mount costs milliseconds. */
const devices = new Set(
  "fd full fuse null ptmx pts random shm stderr stdin stdout tty urandom zero".split(" "),
);

function isNeeded(folder: string, child: { readonly name: string; readonly kind: string }): boolean {
  if (folder === "/") return child.kind !== "file" && child.name !== "lost+found";
  return folder !== "/dev" || devices.has(child.name);
}

/** The deepest existing folder of a path, resolved, and what is missing below it. */
function place(target: string, host: Host): { anchor: string; rest: string } {
  let anchor = target.replace(/(.)\/+$/, "$1");
  let rest = "";
  while (anchor !== "/" && !host.exists(anchor)) {
    rest =
      rest === ""
        ? anchor.slice(anchor.lastIndexOf("/") + 1)
        : `${anchor.slice(anchor.lastIndexOf("/") + 1)}/${rest}`;
    anchor = dirname(anchor);
  }
  return { anchor: host.realpath(anchor), rest };
}

function bindChild(root: string, folder: string, child: { name: string; kind: string }): string[] {
  const path = join(folder, child.name);
  const there = quote(root + path);
  switch (child.kind) {
    case "folder":
      return [`mkdir ${there}`, `mount --rbind ${quote(path)} ${there}`];
    case "link":
      return [`cp -P ${quote(path)} ${there}`];
    default:
      return [`: > ${there}`, `mount --bind ${quote(path)} ${there}`];
  }
}

/** A word for the shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The real host. */
export const realHost: Host = {
  exists(path) {
    try {
      lstatSync(path);
      return true;
    } catch {
      return false;
    }
  },
  realpath: (path) => realpathSync(path),
  isFile: (path) => lstatSync(path).isFile(),
  children: (path) =>
    readdirSync(path, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      kind: entry.isDirectory() ? "folder" : entry.isSymbolicLink() ? "link" : "file",
    })),
};

/** Makes the empty folder on which a container's view is built. */
export function makeRoot(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return folder;
}
