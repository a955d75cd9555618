import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { agentContext } from "../../../src/cli/install/pod-security.ts";
import { findTestMover } from "../../harness/movers.ts";

// The capabilities of the agent, held against a real mover: root with just these backs up and restores files of anybody.
const { add } = agentContext.capabilities;
const found = findTestMover("restic");
const tools = ["setpriv", "setcap", "setfattr", "getfattr", "mknod"];
const absent = tools.filter((tool) => spawnSync("sh", ["-c", `command -v ${tool}`]).status !== 0);
const why = [
  ...(process.getuid?.() === 0 ? [] : ["not root"]),
  ...("program" in found ? [] : ["no restic"]),
  ...absent.map((tool) => `no ${tool}`),
].join(", ");
const able = test.skipIf(why !== "");
const note = why === "" ? "" : ` (skipped: ${why})`;

let folder: string;
let snapshots = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "capabilities-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(program: string, ...args: string[]): string {
  const end = spawnSync(program, args, { encoding: "utf8" });
  if (end.status !== 0) throw new Error(`${program} ${args.join(" ")}: ${end.stderr}${end.stdout}`);
  return end.stdout;
}

/** Files of three owners: private, set-user-ID, with attributes and a capability, a device, a folder that only its owner opens. */
function fill(tree: string): void {
  mkdirSync(join(tree, "closed"), { recursive: true });
  writeFileSync(join(tree, "closed", "private"), "secret\n");
  writeFileSync(join(tree, "program"), "#!/bin/sh\n");
  writeFileSync(join(tree, "ping"), "binary\n");
  run("mknod", join(tree, "null"), "c", "1", "3");
  for (const [name, owner, mode] of [
    ["closed/private", "1234:1234", "0600"],
    ["closed", "1234:4321", "0700"],
    ["program", "5678:8765", "6755"],
    ["ping", "1234:1234", "0755"],
    ["null", "5678:5678", "0660"],
  ] as const) {
    run("chown", owner, join(tree, name));
    run("chmod", mode, join(tree, name));
  }
  run("setfattr", "-n", "user.note", "-v", "kept", join(tree, "closed", "private"));
  run("setcap", "cap_net_raw+ep", join(tree, "ping"));
}

function facts(tree: string): string {
  const entries = spawnSync("find", [".", "-printf", "%P %y %m %U:%G %s\n"], { cwd: tree, encoding: "utf8" });
  const files = ["closed/private", "ping"];
  const attributes = spawnSync("getfattr", ["-d", "-m", "-", "-e", "hex", ...files], {
    cwd: tree,
    encoding: "utf8",
  });
  return `${entries.stdout.split("\n").toSorted().join("\n")}\n${attributes.stdout}`;
}

/** Backs up and restores with these capabilities alone; what came back, or why it could not. */
function moved(capabilities: readonly string[]): string {
  snapshots += 1;
  const repository = join(folder, `repository-${snapshots}`);
  const [tree, target] = [join(folder, "tree"), join(folder, `target-${snapshots}`)];
  mkdirSync(target);
  const program = "program" in found ? found.program : "";
  const set = ["-all", ...capabilities.map((name) => `+${name.toLowerCase()}`)].join(",");
  const restic = (cwd: string, ...args: string[]) =>
    spawnSync(
      "setpriv",
      [`--bounding-set=${set}`, "--inh-caps=-all", "--no-new-privs", program, "--no-cache", ...args],
      {
        cwd,
        encoding: "utf8",
        env: { PATH: process.env["PATH"], RESTIC_REPOSITORY: repository, RESTIC_PASSWORD: "static-passw0rd" },
      },
    );
  for (const [cwd, ...args] of [
    [folder, "init"],
    [tree, "backup", "."],
    [folder, "restore", "latest", "--target", target],
  ] as const) {
    const end = restic(cwd, ...args);
    if (end.status !== 0) return `${args[0]}: ${end.stderr}`;
  }
  return facts(target);
}

able(`root with the agent's capabilities moves files of anybody, whole${note}`, () => {
  fill(join(folder, "tree"));
  const want = facts(join(folder, "tree"));
  expect(want).toMatch(/security\.capability=0x/);
  expect(want).toMatch(/program f 6755 5678:8765/);
  expect(moved(add)).toBe(want);
});

able.each(add)(`without %s something is lost${note}`, (capability) => {
  const want = facts(join(folder, "tree"));
  expect(moved(add.filter((one) => one !== capability))).not.toBe(want);
});
