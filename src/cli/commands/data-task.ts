import type { Command } from "../command.ts";

export const dataTask: Command = {
  name: "data-task",
  summary: "do the work of a data function in its pod",
  isHidden: true,
  // A mover that is interrupted removes its lock.
  graceMs: 10_000,
  async run(_input, io, signal) {
    const { runDataTask } = await import("../data-task/run.ts");
    await runDataTask(io, signal);
  },
};
