import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { claimSource, type Mover, makeMover, movedTags } from "../../../src/movers/index.ts";
import type { Sample } from "../../../src/progress/index.ts";
import { findTestMover } from "../../harness/movers.ts";

const found = findTestMover("kopia");
const skip = "missing" in found ? found.missing : undefined;

describe.skipIf(skip)(`a raw device goes through kopia ${skip ?? ""}`, { timeout: 120_000 }, () => {
  let folder: string;
  let mover: Mover;
  const data = Buffer.concat([randomBytes(12_000_000), Buffer.alloc(4_000_000)]);
  const at = (name: string) => join(folder, name);
  const repository = () => ({
    place: { kind: "filesystem" as const, path: at("repository") },
    password: "static-passw0rd",
  });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "block-"));
    const program = "program" in found ? found.program : "";
    mover = makeMover("kopia", { program, scratch: at("scratch") });
    await mover.ensureRepository(repository());
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("as one object, with the numbers of the device, and back byte for byte", async () => {
    writeFileSync(at("device"), data);
    writeFileSync(at("target"), Buffer.alloc(17_000_000, 7));
    const up: Sample[] = [];
    const out = await mover.backup({
      repository: repository(),
      path: at("device"),
      block: true,
      source: claimSource("kopia", { namespace: "shop", name: "raw" }),
      tags: movedTags("kopia", "op-1"),
      onProgress: (sample) => void up.push(sample),
    });
    expect(out.bytes).toBe(data.length);
    expect(up.at(-1)).toEqual({ unit: "bytes", done: data.length, total: data.length });
    const down: Sample[] = [];
    const snapshotId = out.snapshotId ?? "";
    const onProgress = (sample: Sample) => void down.push(sample);
    await mover.restore({
      repository: repository(),
      path: at("target"),
      block: true,
      snapshotId,
      onProgress,
    });
    const target = readFileSync(at("target"));
    expect(target.subarray(0, data.length).equals(data)).toBe(true);
    expect(target.subarray(data.length).every((byte) => byte === 7)).toBe(true);
    expect(down.at(-1)).toEqual({ unit: "bytes", done: data.length, total: data.length });
    writeFileSync(at("small"), Buffer.alloc(1000));
    await expect(
      mover.restore({ repository: repository(), path: at("small"), block: true, snapshotId }),
    ).rejects.toMatchObject({ code: "MOVER_SPACE" });
  });

  test("a snapshot of files is not written to a device", async () => {
    const { snapshotId = "" } = await mover.backup({
      repository: repository(),
      path: at("scratch"),
      source: claimSource("kopia", { namespace: "shop", name: "files" }),
      tags: {},
    });
    writeFileSync(at("target"), Buffer.alloc(1000));
    await expect(
      mover.restore({ repository: repository(), path: at("target"), block: true, snapshotId }),
    ).rejects.toMatchObject({ code: "MOVER_SNAPSHOT" });
    expect(readFileSync(at("target")).equals(Buffer.alloc(1000))).toBe(true);
  });

  test("a device that cannot be read to its end gives no snapshot", async () => {
    writeFileSync(at("vanishing"), data);
    const stop = new AbortController();
    await expect(
      mover.backup(
        {
          repository: repository(),
          path: at("vanishing"),
          block: true,
          source: claimSource("kopia", { namespace: "shop", name: "gone" }),
          tags: {},
          onProgress: () => stop.abort(new Error("stopped")),
        },
        stop.signal,
      ),
    ).rejects.toThrow("stopped");
  });
});
