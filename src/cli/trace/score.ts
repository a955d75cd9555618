import type { Io } from "../io.ts";

/** Reads the traces of a folder, replays them, and prints the table, or every answer as JSON. */
export async function score(folder: string, asJson: boolean, io: Io): Promise<number> {
  const { readTraces, scoreAll, scoreTable, toldJson } = await import("../../trace/index.ts");
  const traces = await readTraces(folder);
  const scored = scoreAll(traces);
  io.out(asJson ? toldJson(scored) : scoreTable(scored));
  return 0;
}
