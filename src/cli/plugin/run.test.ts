import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Io } from "../io.ts";
import { addPlugin, describeText, pluginTable, removePlugin } from "./run.ts";

test("pluginTable() of an operator has names and kinds", () => {
  const found = [
    { name: "velero.io/aws", kind: "VolumeSnapshotter" },
    { name: "velero.io/aws", kind: "ObjectStore" },
  ];
  expect(
    pluginTable(found)
      .split("\n")
      .map((line) => line.trimEnd().replaceAll(/ +/g, " ")),
  ).toEqual(["NAME KIND", "velero.io/aws ObjectStore", "velero.io/aws VolumeSnapshotter", ""]);
});

test("pluginTable() of a folder says where from, and what is wrong", () => {
  const found = [
    { name: "headway.dev/folder", kind: "VolumeSnapshotter", source: "built in" },
    { name: "", kind: "", source: "program", path: "/p/x", fault: "no handshake" },
    { name: "example.com/a", kind: "BackupItemAction", source: "program", path: "/p/y" },
  ] as const;
  const text = pluginTable(found);
  expect(text).toMatch(/headway.dev\/folder +VolumeSnapshotter +built in/);
  expect(text).toMatch(/\(no handshake\) +\/p\/x/);
  expect(text).toMatch(/example.com\/a +BackupItemAction +\/p\/y/);
});

test("describeText() tells what uses a plugin, and how it tells its progress", () => {
  const program = {
    name: "velero.io/aws",
    kind: "VolumeSnapshotter",
    source: "program",
    path: "/plugins/aws",
  } as const;
  expect(describeText("velero.io/aws", [program], ["a", "b"])).toBe(
    [
      "Name:                velero.io/aws",
      "Kinds:               VolumeSnapshotter",
      "From:                /plugins/aws",
      "Progress:            its own VolumePluginBackups if it writes them; the protocol has no question for progress",
      "Snapshot locations:  a, b",
      "",
    ].join("\n"),
  );
});

test("a file is added to a plugin folder, and removed from it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plugin-"));
  const { signal } = new AbortController();
  const io: Io = { out: () => undefined, err: () => undefined, env: {}, terminal: undefined, color: false };
  const file = join(folder, "disks");
  writeFileSync(file, "#!/bin/sh\n");
  const flags = { "plugin-dir": join(folder, "plugins") };
  await addPlugin({ args: [file], flags }, io, signal);
  expect(statSync(join(folder, "plugins/disks")).mode & 0o777).toBe(0o755);
  await removePlugin({ args: ["disks"], flags }, io, signal);
  expect(existsSync(join(folder, "plugins/disks"))).toBe(false);
  await expect(removePlugin({ args: ["disks"], flags }, io, signal)).rejects.toMatchObject({
    code: "PLUGIN_MISSING",
  });
  rmSync(folder, { recursive: true });
});
