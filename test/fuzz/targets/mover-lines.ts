import { readFileSync } from "node:fs";
import { join } from "node:path";
import { explain } from "../../../src/movers/failure.ts";
import * as kopia from "../../../src/movers/kopia/parse.ts";
import { readObject, shown } from "../../../src/movers/numbers.ts";
import { readMoverLine } from "../../../src/movers/progress-line.ts";
import { words } from "../../../src/movers/restic/failure.ts";
import * as restic from "../../../src/movers/restic/parse.ts";
import { mutateText } from "../bytes.ts";
import { BrokenLaw, target } from "../target.ts";

const files = [
  "restic-0.18-backup.jsonl",
  "restic-0.18-restore.jsonl",
  "restic-0.14-backup.jsonl",
  "restic-0.14-restore.txt",
  "kopia-0.21-snapshot.txt",
  "kopia-0.21-snapshot.json",
  "kopia-0.21-restore.txt",
];
/** What restic and kopia printed, recorded from the real programs. */
export const recorded = files.map((file) =>
  readFileSync(join(import.meta.dirname, "../../../src/movers/testdata", file), "utf8"),
);
const lines = recorded
  .flatMap((text) => text.split(/[\r\n]+/).filter((line) => line !== ""))
  .concat([
    "restic 0.18.0 compiled with go1.24",
    "0.21.1 build: x",
    '{"files":{"ignoreDotFiles":[".headwayignore"],"ignoreCacheDirs":false}}',
  ]);

export const moverLines = target<string>({
  name: "mover-lines",
  covers: "lines of restic and kopia: progress, summaries, manifests, versions, failures",
  make: (random) => mutateText(random, random.of(lines), random.of(lines)),
  run(line) {
    const message = readObject(line);
    const samples = [
      message && restic.backupSample(message),
      message && restic.restoreSample(message),
      restic.readLine(line)?.progress,
      kopia.readLine(line)?.progress,
    ];
    for (const sample of samples) check(sample);
    if (message) {
      check({ done: restic.backupSummary(message)?.bytes ?? 0 });
      restic.restoreSummary(message);
    }
    restic.parseFileError(line);
    restic.parseExitError(line);
    restic.parseStats(line);
    restic.parseVersion(line);
    kopia.parseManifest(line);
    kopia.takesAll(line);
    kopia.parseVersion(line);
    kopia.parseSize(line);
    const said = readMoverLine(line);
    if (shown(line).length > 501) throw new BrokenLaw("more is shown than may be");
    explain({
      kind: "restic",
      verb: "back up",
      where: "w",
      exitCode: 1,
      killedBy: undefined,
      errTail: line,
      words,
      message: undefined,
    });
    return said !== undefined || samples.some((sample) => sample !== undefined);
  },
});

function check(sample: { readonly done: number; readonly total?: number } | undefined): void {
  const isCount = (value: number) => Number.isFinite(value) && value >= 0;
  if (sample && !(isCount(sample.done) && isCount(sample.total ?? 0)))
    throw new BrokenLaw(`a sample of ${JSON.stringify(sample)}`);
}
