import { expect, test } from "vitest";
import { type Host, mountScript } from "./mounts.ts";

const tree: Record<string, readonly [string, "folder" | "file" | "link"][]> = {
  "/": [
    ["usr", "folder"],
    ["bin", "link"],
    ["var", "folder"],
    ["swapfile", "file"],
  ],
  "/var": [
    ["lib", "folder"],
    ["run", "link"],
  ],
};
const host: Host = {
  exists: (path) => ["/", "/usr", "/var", "/var/lib", "/var/run", "/run"].includes(path),
  realpath: (path) => (path === "/var/run" ? "/run" : path),
  isFile: (path) => path.endsWith(".file"),
  children: (path) => (tree[path] ?? []).map(([name, kind]) => ({ name, kind })),
};
const lines = (target: string, source = "/v", readOnly = false): string[] =>
  mountScript("/r", [{ source, target, readOnly }], host).split("\n").slice(7);

test("mountScript() binds the host's top-level folders onto a tmpfs, links copied, files left out", () => {
  expect(mountScript("/r", [], host).split("\n")).toEqual([
    "set -e",
    "mount -t tmpfs -o mode=755 tmpfs '/r'",
    "mkdir '/r/usr'",
    "mount --rbind '/usr' '/r/usr'",
    "cp -P '/bin' '/r/bin'",
    "mkdir '/r/var'",
    "mount --rbind '/var' '/r/var'",
    `exec chroot '/r' "$@"`,
  ]);
});

test("mountScript() covers an existing folder without rebuilding it", () => {
  expect(lines("/var/lib")).toEqual([
    "mkdir -p '/r/var/lib'",
    "mount --bind '/v' '/r/var/lib'",
    `exec chroot '/r' "$@"`,
  ]);
});

test("mountScript() makes a mount point that the host lacks, without touching the host", () => {
  expect(lines("/var/data/x", "/v", true)).toEqual([
    "mount -t tmpfs -o mode=755 tmpfs '/r/var'",
    "mkdir '/r/var/lib'",
    "mount --rbind '/var/lib' '/r/var/lib'",
    "cp -P '/var/run' '/r/var/run'",
    "mkdir -p '/r/var/data/x'",
    "mount --bind '/v' '/r/var/data/x'",
    "mount -o remount,bind,ro '/r/var/data/x'",
    `exec chroot '/r' "$@"`,
  ]);
});

test("mountScript() follows links on the way, binds files onto files and quotes what a shell would read", () => {
  expect(lines("/var/run/it's", "/a.file")).toEqual([
    "mount -t tmpfs -o mode=755 tmpfs '/r/run'",
    `mkdir -p '/r/run'; [ -e '/r/run/it'\\''s' ] || : > '/r/run/it'\\''s'`,
    `mount --bind '/a.file' '/r/run/it'\\''s'`,
    `exec chroot '/r' "$@"`,
  ]);
});
