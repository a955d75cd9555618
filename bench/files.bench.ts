// The first and the last page of a folder with many files, straight from the mover; BENCH_FILES sets how many.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeMover } from "../src/movers/index.ts";
import { findTestMover } from "../test/harness/movers.ts";

const files = Number(process.env["BENCH_FILES"] ?? "200000");
const folder = mkdtempSync(join(tmpdir(), "bench-files-"));
try {
  const from = join(folder, "from/many");
  mkdirSync(from, { recursive: true });
  for (let i = 0; i < files; i += 1)
    writeFileSync(join(from, `file-${String(i).padStart(7, "0")}`), String(i % 997));
  for (const kind of ["restic", "kopia"] as const) {
    const found = findTestMover(kind);
    if ("missing" in found) console.log(`${kind}: skipped, ${found.missing}`);
    else await measure(kind, found.program);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(kind: "restic" | "kopia", program: string): Promise<void> {
  const mover = makeMover(kind, { program, scratch: join(folder, kind) });
  const repository = {
    place: { kind: "filesystem", path: join(folder, `${kind}-repository`) },
    password: "bench",
  } as const;
  await mover.ensureRepository(repository);
  const path = join(folder, "from");
  const { snapshotId = "" } = await mover.backup({ repository, path, source: "bench", tags: {} });
  const at = { repository, snapshotId, path: "/many", limit: 1_000 };
  const openMs = await timed(() =>
    mover.find({ ...at, path: "/" }).then(() => mover.snapshotBytes(repository, snapshotId)),
  );
  const before = process.memoryUsage().rss;
  const firstMs = await timed(async () => void (await mover.list(at)));
  const lastMs = await timed(async () => void (await mover.list({ ...at, skip: files - 1_000 })));
  const mib = (process.memoryUsage().rss - before) / 1024 ** 2;
  console.log(
    `${kind}: ${files} files; open and measure ${openMs.toFixed(0)} ms, first page ${firstMs.toFixed(0)} ms, last page ${lastMs.toFixed(0)} ms, +${mib.toFixed(0)} MiB here`,
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
