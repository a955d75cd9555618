import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { moverSubjects } from "../../test/harness/mover-subjects.ts";
import type { Sample } from "../progress/index.ts";
import { defaultPassword, volumeSource } from "./place.ts";

/** A million when asked: that takes restic an hour. */
const files = process.env["HEADWAY_LONG"] === "1" ? 1_000_000 : 2_000;
const perFolder = 500;
const content = "sixteen bytes...";
const root = mkdtempSync(join(tmpdir(), "many-"));
afterAll(() => rmSync(root, { recursive: true, force: true }), 600_000);
const from = join(root, "from");

function fill(): void {
  for (let i = 0; i < files; i += 1) {
    const folder = join(from, String(Math.floor(i / perFolder)));
    if (i % perFolder === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `f${i}`), content);
  }
}
fill();

// restic 0.14 is silent while it restores: the target is walked meanwhile.
describe.each(moverSubjects)("$name", (subject) => {
  const skip = subject.skip ?? "";

  test.skipIf(skip)(
    `${files} files cost no memory of ours, and the numbers only rise ${skip}`,
    { timeout: 3_000_000 },
    async () => {
      const folder = mkdtempSync(join(root, "run-"));
      const mover = subject.make({ scratch: join(folder, "scratch"), owner: "test" });
      const place = { kind: "filesystem", path: join(folder, "repository") } as const;
      const repository = { place, password: defaultPassword };
      await mover.ensureRepository(repository);
      const heapBefore = process.memoryUsage().heapUsed;
      let heapMost = 0;
      const samples: Sample[] = [];
      const onProgress = (sample: Sample) => {
        samples.push(sample);
        heapMost = Math.max(heapMost, process.memoryUsage().heapUsed);
      };
      const source = volumeSource("kopia", { namespace: "shop", pod: "web", volume: "many" });
      const backup = await mover.backup({ repository, path: from, source, tags: {}, onProgress });
      expect(backup.bytes).toBe(files * content.length);
      const backedUp = samples.splice(0).map(({ done }) => done);
      expect(backedUp).toEqual(backedUp.toSorted((a, b) => a - b));
      const to = join(folder, "to");
      mkdirSync(to);
      const { snapshotId = "" } = backup;
      const totalBytes = backup.bytes;
      const { bytes } = await mover.restore({ repository, snapshotId, path: to, totalBytes, onProgress });
      expect(bytes).toBe(totalBytes);
      const restored = samples.map(({ done }) => done);
      expect(restored).toEqual(restored.toSorted((a, b) => a - b));
      expect(restored.every((done) => done <= totalBytes * 1.01)).toBe(true);
      // What the walk and the lines hold does not grow with the files: a million names alone would be 100 MB.
      expect(heapMost - heapBefore).toBeLessThan(64 << 20);
      rmSync(folder, { recursive: true, force: true });
    },
  );
});
