import { cpus } from "node:os";
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { type Campaign, runCampaign } from "./campaign.ts";
import { keepCase } from "./corpus.ts";
import { isTargetName, type TargetName, targetNames } from "./targets.ts";

// npm run fuzz -- [--target NAME]… [--runs N] [--seed S] [--seconds N] [--from N]

const { values } = parseArgs({
  options: {
    target: { type: "string", multiple: true },
    runs: { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
    seconds: { type: "string", default: "3600" },
    from: { type: "string", default: "0" },
  },
});

const chosen = values.target ?? targetNames;
const unknown = chosen.filter((name) => !isTargetName(name));
if (unknown.length > 0)
  throw new Error(`no target ${unknown.join(", ")}; there are: ${targetNames.join(", ")}`);

const columns =
  "| target | seed | executions | refused | seconds | per second | slowest ms | grown MiB | failures |";
console.log(
  `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus()[0]?.model ?? "?"} x${cpus().length}\n`,
);
console.log(`${columns}\n|${" --- |".repeat(9)}`);
const all: Campaign[] = [];
for (const target of chosen) {
  const [runs, seed, seconds, from] = [values.runs, values.seed, values.seconds, values.from].map(Number);
  const done = await runCampaign({
    target: target as TargetName, // checked above
    runs: runs ?? 0,
    seed: seed ?? 0,
    seconds: seconds ?? 0,
    from: from ?? 0,
  });
  all.push(done);
  console.log(row(done));
  for (const { what, words, at, given } of done.failures) {
    const file = given === undefined ? "" : `, kept in ${relative(process.cwd(), keepCase(target, given))}`;
    console.log(`\n${what} of ${target}, seed ${done.seed}, case ${at}${file}\n${words}\n`);
  }
}
const failures = all.reduce((sum, one) => sum + one.failures.length, 0);
const executions = all.reduce((sum, one) => sum + one.runs, 0);
console.log(`\n${executions} executions, ${failures} failures`);
if (failures > 0) process.exitCode = 1;

function row({
  target,
  seed,
  runs,
  refused,
  seconds,
  slowestMs,
  grownMb,
  failures: found,
}: Campaign): string {
  const share = runs === 0 ? 0 : Math.round((100 * refused) / runs);
  const cells = [
    target,
    seed,
    runs,
    `${share} %`,
    seconds.toFixed(1),
    Math.round(runs / seconds),
    slowestMs.toFixed(0),
    grownMb,
    found.length,
  ];
  return `| ${cells.join(" | ")} |`;
}
