import { mkdir } from "node:fs/promises";
import { AppError, isCode } from "../errors.ts";
import type { Sample } from "../progress/index.ts";
import type { ContentsReader } from "./contents/reader.ts";
import type { ActionMover, Repository } from "./mover.ts";
import { readObject } from "./numbers.ts";
import { type MoverKind, moverKind, moverKinds } from "./registry.ts";
import type { ShellRestore, ShellSnapshot } from "./shell.ts";
import { movedLine, processLine, resultMark, waitMark } from "./task-lines.ts";
import { connectionOf, type OnLook } from "./vitals.ts";

/** What a task asks of a mover: it copies, and never looks into snapshots. */
export type TaskMover = Omit<ActionMover, keyof ContentsReader | "snapshots">;

/** What a data function wants done in its pod. It holds secrets: it travels in a Secret and never as an argument. */
export type DataTask = {
  readonly repository: Repository;
  /** Only this mover; without it the one that made the repository, else the preferred one. */
  readonly mover?: MoverKind | undefined;
  /** How long the repository may take to answer. */
  readonly limitMs: number;
} & DataWork;

/** The work itself. */
export type DataWork =
  | { readonly do: "backup"; readonly path: string; readonly tag: string }
  | ({ readonly do: "restore" } & ShellRestore)
  | { readonly do: "remove"; readonly what: readonly ShellSnapshot[]; readonly reclaim: boolean }
  | { readonly do: "stats"; readonly id: string; readonly mode: string }
  | { readonly do: "check" };

/** What a task is given. */
export interface TaskSetting {
  /** The mover of this kind, undefined where the image has none. */
  readonly mover: (kind: MoverKind) => TaskMover | undefined;
  readonly print: (line: string) => void;
  readonly now: () => number;
}

/** How often a repository is told that has not answered. */
const tellMs = 5_000;
/** Lines of progress are at least so far apart: the log of a pod is kept on its node. */
const apartMs = 900;

/** Reads a task as the operator wrote it. */
export function readTask(text: string | undefined): DataTask {
  const found = readObject(text ?? "");
  if (!found || typeof found["do"] !== "string") {
    throw new AppError("MOVER_ARGUMENT", "there is no task to do: HEADWAY_TASK holds none", { retry: false });
  }
  return found as unknown as DataTask; // written by the operator of the same image; movers check every word of it
}

/** Does a task, and prints how far it is and what it gave: one line each. */
export async function runTask(task: DataTask, setting: TaskSetting, signal: AbortSignal): Promise<void> {
  const patience = new Patience(task.limitMs, setting.print, signal);
  const tell = (kind: string, json: object) => setting.print(`${resultMark} ${kind} ${JSON.stringify(json)}`);
  if (task.do === "check") return check(task, setting, patience, tell);
  const mover = await choose(task, setting, patience);
  const result = await work(task, mover, setting, patience, signal);
  tell(mover.kind, result);
}

async function work(
  task: Exclude<DataTask, { do: "check" }>,
  mover: TaskMover,
  setting: TaskSetting,
  patience: Patience,
  signal: AbortSignal,
): Promise<object> {
  const { repository } = task;
  const opened = () => patience.wait((until) => mover.openRepository(repository, until));
  const idOf = async ({ id, tag }: ShellSnapshot) =>
    id === "" ? mover.findTagged(repository, tag, signal) : id;
  switch (task.do) {
    case "backup":
      await patience.wait((until) => mover.ensureRepository(repository, until));
      return backup(task, mover, setting, signal);
    case "restore": {
      await opened();
      const { subPath, target: path } = task;
      await mkdir(path, { recursive: true });
      const telling = new Telling("down", setting);
      const { onProgress, onLook } = telling;
      const snapshotId = await idOf(task);
      await mover.restore({ repository, snapshotId, path, below: { subPath }, onProgress, onLook }, signal);
      telling.flush();
      return {};
    }
    case "remove":
      await opened();
      for (const one of task.what) await mover.forget(repository, await idOf(one), signal);
      return task.reclaim ? freedOf(await mover.reclaim(repository, signal)) : {};
    case "stats": {
      await opened();
      const { bytes, files } = await mover.measure(repository, task.id, task.mode, signal);
      return { snapshot: { id: task.id, files, bytes, failed: 0 } };
    }
  }
}

async function backup(
  { repository, path, tag }: Extract<DataTask, { do: "backup" }>,
  mover: TaskMover,
  setting: TaskSetting,
  signal: AbortSignal,
): Promise<object> {
  const telling = new Telling("up", setting);
  const { onProgress, onLook } = telling;
  const request = { repository, path, tag, source: "", tags: {}, onProgress, onLook };
  const { snapshotId: id, bytes, ...rest } = await mover.backup(request, signal);
  telling.flush();
  const { unread = [], files = 0, incrementalBytes: addedBytes, storedBytes } = rest;
  for (const why of unread) setting.print(why);
  return { snapshot: { id: id ?? "", files, bytes, addedBytes, storedBytes, failed: unread.length } };
}

function freedOf(freed: { readonly bytes: number } | { readonly words: string }): object {
  return "bytes" in freed ? { freedBytes: freed.bytes } : { freed: freed.words };
}

async function check(
  task: DataTask,
  setting: TaskSetting,
  patience: Patience,
  tell: (kind: string, json: object) => void,
): Promise<void> {
  let kind: string = task.mover ?? moverKinds[0];
  try {
    const mover = await choose(task, setting, patience);
    ({ kind } = mover);
    await patience.wait((until) => mover.openRepository(task.repository, until));
    tell(kind, {});
  } catch (error) {
    if (!(error instanceof AppError) || ["MOVER_MISSING", "MOVER_ARGUMENT"].includes(error.code)) throw error;
    setting.print(error.message);
    tell(kind, error.code === "MOVER_PASSWORD" ? { password: true } : { unavailable: true });
  }
}

/** A repository of another mover than the preferred one is gone on with; new ones are the preferred one's. */
async function choose(task: DataTask, setting: TaskSetting, patience: Patience): Promise<TaskMover> {
  const named = moverKind(task.mover);
  const [usual, ...others] = moverKinds;
  for (const kind of named === undefined ? others : []) {
    const mover = setting.mover(kind);
    if (mover && (await isRepositoryOf(mover, task, patience))) return mover;
  }
  const wanted = named === undefined ? [usual, ...others] : [named];
  for (const kind of wanted) {
    const mover = setting.mover(kind);
    if (mover) return mover;
  }
  throw new AppError("MOVER_MISSING", `none of ${wanted.join(", ")} is in this image`, { retry: false });
}

/** One that the password does not open is its mover's all the same. */
async function isRepositoryOf(mover: TaskMover, task: DataTask, patience: Patience): Promise<boolean> {
  try {
    await patience.wait((until) => mover.openRepository(task.repository, until));
    return true;
  } catch (error) {
    if (patience.isOver || !(error instanceof AppError)) throw error;
    return isCode(error, "MOVER_PASSWORD");
  }
}

/** Waits for a repository: a mover alone may try for a quarter of an hour, without a word. */
class Patience {
  readonly #limitMs: number;
  readonly #print: (line: string) => void;
  readonly #signal: AbortSignal;
  isOver = false;

  constructor(limitMs: number, print: (line: string) => void, signal: AbortSignal) {
    this.#limitMs = limitMs;
    this.#print = print;
    this.#signal = signal;
  }

  async wait(work: (until: AbortSignal) => Promise<void>): Promise<void> {
    const late = new AbortController();
    let waitedMs = 0;
    const timer = setInterval(() => {
      waitedMs += tellMs;
      this.#print(`${waitMark} ${waitedMs / 1000}`);
      if (waitedMs >= this.#limitMs) late.abort();
    }, tellMs);
    try {
      await work(AbortSignal.any([this.#signal, late.signal]));
    } catch (error) {
      if (!late.signal.aborted || this.#signal.aborted) throw error;
      this.isOver = true;
      const seconds = Math.ceil(this.#limitMs / 1000);
      const what = `the repository did not answer within ${seconds} s`;
      throw new AppError("MOVER_REPOSITORY", what, { cause: error });
    } finally {
      clearInterval(timer);
      if (waitedMs > 0 && !this.isOver) this.#print(`${waitMark} 0`);
    }
  }
}

/** Prints how far a mover is, and what its process does. Keeps one line. */
class Telling {
  readonly #direction: "up" | "down";
  readonly #setting: TaskSetting;
  #printedAt = 0;
  #newest: string | undefined;

  constructor(direction: "up" | "down", setting: TaskSetting) {
    this.#direction = direction;
    this.#setting = setting;
  }

  onProgress = (progress: Sample, sentBytes?: number): void => {
    this.#newest = movedLine({
      direction: this.#direction,
      progress,
      ...(this.#direction === "up" && sentBytes !== undefined && { sentBytes }),
    });
    if (this.#setting.now() - this.#printedAt >= apartMs) this.flush();
  };

  onLook: OnLook = (look, pid) => {
    // A slow link takes for minutes what was written long ago: what waits to be sent tells that it does.
    void connectionOf(pid).then((connection) => this.#setting.print(processLine({ look, connection })));
  };

  /** Prints the newest line that was held back. */
  flush(): void {
    if (this.#newest !== undefined) this.#setting.print(this.#newest);
    this.#newest = undefined;
    this.#printedAt = this.#setting.now();
  }
}
