// Runs every bench/*.bench.ts (or those whose name contains an argument) one after the other in a process of its own.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

const wanted = process.argv.slice(2);
const here = import.meta.dirname;
const files = readdirSync(here)
  .filter((file) => file.endsWith(".bench.ts"))
  .filter((file) => wanted.length === 0 || wanted.some((word) => file.includes(word)));
if (files.length === 0) {
  console.error(`no bench matches ${wanted.join(" ")}`);
  process.exitCode = 2;
}
for (const file of files) {
  console.log(`# ${file}`);
  const { status } = spawnSync(process.execPath, [join(here, file)], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
