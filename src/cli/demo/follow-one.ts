import { AppError } from "../../errors.ts";
import type { Observer } from "../../observe/index.ts";
import type { Operation } from "../../progress/index.ts";
import type { Io } from "../io.ts";
import { liveView, tenthsView } from "../render/operations-view.ts";
import { Following } from "../watch/follow.ts";
import { followUntilEnd } from "../watch/run.ts";
import { readTarget } from "../watch/target.ts";

/** Shows one operation until it has ended well: a live tree on a terminal, a line for each new tenth otherwise. */
export async function followOne(
  observer: Observer,
  id: string,
  io: Io,
  signal: AbortSignal,
): Promise<Operation> {
  const view = io.terminal ? liveView(io, io.terminal) : tenthsView(io);
  const following = new Following([readTarget(id, undefined)]);
  try {
    await followUntilEnd(observer, following, view, () => undefined, signal);
  } finally {
    view.end();
  }
  signal.throwIfAborted();
  const [end] = following.shown.values();
  if (end?.state !== "completed") {
    const why = end?.message ? `: ${end.message}` : "";
    throw new AppError("DEMO_FAILED", `${end?.title ?? id} ended ${end?.state ?? "without a trace"}${why}`);
  }
  return end;
}
