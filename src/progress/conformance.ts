import fc from "fast-check";
import type { Tracked } from "./derive.ts";
import { percentText } from "./format.ts";
import { isTerminal, type Observation, type Operation, type Rule, type State } from "./operation.ts";
import { almost, type Sample, type Unit } from "./progress.ts";
import { track } from "./track.ts";

/** Generated histories of whole trees, with liars, broken clocks, crashes and restarts in them; and the laws they must keep. */
export const histories: fc.Arbitrary<Uint8Array> = fc.uint8Array({
  minLength: 8,
  maxLength: 160,
  size: "max",
});

/** What became of a history: every broken law, and how often there was something to break. */
export interface Verdict {
  readonly faults: readonly string[];
  readonly held: number;
  readonly ended: number;
  readonly restarts: number;
}

/** Plays a history and judges every step of it. */
export function judge(history: Uint8Array): Verdict {
  const script = new Script(history);
  const faults: string[] = [];
  let [held, ended, restarts] = [0, 0, 0];
  let tracked: Tracked | undefined;
  let now = 1_800_000_000_000;
  while (!script.isOver) {
    now += script.wait();
    const next = track(tracked, script.observe("root", 2), now);
    check(tracked?.operation, next.operation, now, (fault) => faults.push(fault));
    if (next.operation.scopeGrew?.held) held += 1;
    if (isTerminal(next.operation.state)) ended += 1;
    // A process that was killed goes on from what it had written down.
    const isKilled = script.pick(8) === 1;
    if (isKilled) restarts += 1;
    tracked = isKilled ? (JSON.parse(JSON.stringify(next)) as Tracked) : next;
  }
  return { faults, held, ended, restarts };
}

const states: readonly State[] = [
  "pending",
  "running",
  "running",
  "running",
  "running",
  "completed",
  "partially-failed",
  "failed",
  "canceled",
  "skipped",
];
const rules: readonly Rule[] = ["mean", "sum", "items", "steps"];
const units: readonly Unit[] = ["bytes", "bytes", "bytes", "items", "steps"];
const odd: readonly number[] = [Number.NaN, Infinity, -Infinity, -1, 2 ** 64, 2 ** 53 - 1, 0, 0.5];
const waits: readonly number[] = [0, 1, 100, 1000, 1000, 10_000, 600_000, -1, -3_600_000, 3_600_000];

/** Reads a history byte by byte; an exhausted one says 0. */
class Script {
  readonly #bytes: Uint8Array;
  #at = 0;
  readonly #counts = new Map<string, number>();

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isOver(): boolean {
    return this.#at >= this.#bytes.length;
  }

  pick(limit: number): number {
    const byte = this.#bytes[this.#at] ?? 0;
    this.#at += 1;
    return byte % limit;
  }

  wait(): number {
    return waits[this.pick(waits.length)] ?? 0;
  }

  observe(id: string, depth: number): Observation {
    const shape = this.pick(64);
    const ref = { apiVersion: "v1", kind: "Thing", name: id, uid: shape === 63 ? `${this.#at}` : "first" };
    const state = states[this.pick(shape < 16 ? states.length : 5)] ?? "running";
    const base = { id, ref, kind: "thing", title: id, ...(shape % 7 !== 0 && { state }) };
    if (depth > 0 && (id === "root" || shape % 4 === 0)) return { ...base, ...this.#family(id, depth) };
    return {
      ...base,
      ...(shape % 5 !== 0 && { progress: this.#sample(id) }),
      ...(shape % 11 === 0 && { waitingFor: { reason: "queue" } }),
      ...(shape % 13 === 0 && { signals: { alive: shape % 2 === 0 } }),
    };
  }

  #family(id: string, depth: number): Partial<Observation> {
    const rule = rules[this.pick(32) === 0 ? this.pick(4) : this.#habit(id, 4)] ?? "mean";
    const count = this.pick(5);
    if (count === 4) return { rule };
    const children = Array.from({ length: count }, (_, i) => ({
      ...this.observe(`${id}/${i}`, depth - 1),
      ...(this.pick(3) === 0 && { weight: odd[this.pick(odd.length)] ?? 1 }),
    }));
    return { rule, children };
  }

  /** A choice that stays the same over one history. */
  #habit(id: string, limit: number): number {
    return ((this.#bytes[0] ?? 0) + id.length / 2) % limit;
  }

  #sample(id: string): Sample {
    const how = this.pick(20);
    const unit = units[how === 19 ? this.pick(units.length) : this.#habit(id, 4)] ?? "bytes";
    const done = (this.#counts.get(id) ?? 0) + this.pick(20);
    this.#counts.set(id, done);
    const said = how === 0 ? (odd[this.pick(odd.length)] ?? 0) : how === 1 ? Math.floor(done / 2) : done;
    if (how < 4) return { unit, done: said };
    const total = how === 4 ? (odd[this.pick(odd.length)] ?? 0) : how < 8 ? this.pick(256) : 100;
    return { unit, done: said, total, ...(how >= 4 && how < 7 && { estimated: true }) };
  }
}

/** What is wrong with an operation, given what it was before: nothing, when the laws hold. */
export function lawFaults(before: Operation | undefined, now: Operation, nowMs: number): string[] {
  const faults: string[] = [];
  check(before, now, nowMs, (fault) => faults.push(fault));
  return faults;
}

/** Compares an operation with what it was before. */
function check(
  before: Operation | undefined,
  now: Operation,
  nowMs: number,
  fault: (text: string) => void,
): void {
  const old = before?.ref.uid === now.ref.uid ? before : undefined;
  const say = (law: string) => fault(`${now.id}: ${law}`);
  const share = now.fraction;
  if (old?.fraction !== undefined && !(share !== undefined && share >= old.fraction)) say("OP1 share fell");
  if (share !== undefined && !(share >= 0 && share <= 1)) say("PR share out of bounds");
  if ((share === 1) !== (now.state === "completed")) say("OP2 the whole without the end, or the reverse");
  if (share !== undefined && share < 1 && (share > almost || percentText(share) === "100.00"))
    say("OP2 early");
  if (old && isTerminal(old.state) && (old.state !== now.state || old.fraction !== share))
    say("OP3 two ends");
  if (isTerminal(now.state) !== (now.finishedAt !== undefined)) say("OP3 end without a time, or the reverse");
  const p = now.progress;
  if (p && (!(p.done >= 0) || (p.total !== undefined && !(p.done <= p.total)))) say("PR3 done past total");
  if (p && !isTerminal(now.state) && !(p.movedAt <= nowMs)) say("PR8 moved in the future");
  if (p?.estimated && (p.total === undefined || now.state === "completed")) say("PR12 a guess of nothing");
  const was = old?.progress;
  if (
    p?.estimated &&
    now.children.length === 0 &&
    was?.unit === p.unit &&
    was.total !== undefined &&
    !was.estimated
  )
    say("PR11 a guess in the place of a measure");
  if (
    now.eta &&
    !("unknown" in now.eta) &&
    !(
      0 <= now.eta.low &&
      now.eta.low <= now.eta.seconds &&
      now.eta.seconds <= now.eta.high &&
      now.eta.high < Infinity
    )
  )
    say("ET1 odd estimate");
  if (isTerminal(now.state) && (now.eta || now.stall || now.waitingFor))
    say("ST12 unfinished business after the end");
  if (now.children.length > 0) conserve(old, now, say);
  for (const child of now.children) {
    if (now.finishedAt !== undefined && !((child.finishedAt ?? 0) <= now.finishedAt))
      say("OP14 a part outlasts it");
    if (now.startedAt !== undefined && !((child.startedAt ?? now.startedAt) >= now.startedAt))
      say("OP14 a part began before it");
  }
  const known = new Map(old?.children.map((child) => [child.id, child]));
  for (const child of now.children) check(known.get(child.id), child, nowMs, fault);
}

/** The parent by its rule, worked out a second time and in another way than the code under test. */
function conserve(old: Operation | undefined, now: Operation, say: (law: string) => void): void {
  // In a whole that came to a bad end, what was skipped was not done.
  const isBad = now.state === "failed" || now.state === "canceled";
  const children = isBad ? now.children.map(notDone) : now.children;
  const judged = { ...now, children };
  const want = now.rule === "sum" || now.rule === "items" ? added(judged) : averaged(judged);
  if (now.progress?.done !== want.done || now.progress.total !== want.total)
    say("AG7 numbers are not the children's");
  if (now.progress && (now.progress.estimated === true) !== (want.estimated === true))
    say("AG11 a guess that is told as a fact, or the reverse");
  if (isTerminal(now.state)) return;
  const shown = Math.max(old?.fraction ?? 0, Math.min(want.share ?? 0, almost));
  if (Math.abs((now.fraction ?? 0) - shown) > 1e-9) say(`AG7 share ${now.fraction} is not ${shown}`);
  const isHeld = (now.fraction ?? 0) > Math.min(want.share ?? 0, almost) + 1e-9;
  if (isHeld && now.scopeGrew?.held !== true) say("OP4 held without a word");
}

function notDone(child: Operation): Operation {
  return child.state === "skipped" ? { ...child, state: "canceled" } : child;
}

interface Want {
  readonly done: number;
  readonly total?: number;
  readonly share?: number;
  readonly estimated?: boolean;
}

function settled(child: Operation): boolean {
  return child.state === "completed" || child.state === "skipped";
}

function averaged(now: Operation): Want {
  const valid = (w: number | undefined) => w !== undefined && Number.isFinite(w) && w >= 0;
  const known = now.children.flatMap((child) => (valid(child.weight) && child.weight ? [child.weight] : []));
  const usual = known.length > 0 ? known.reduce((a, b) => a + b) / known.length : 1;
  const weights = now.children.map((child) => {
    if (child.weight === 0) return 0;
    return now.rule === "mean" ? 1 : valid(child.weight) ? (child.weight ?? usual) : usual;
  });
  const parts = now.children.map((child) => (settled(child) ? 1 : (child.fraction ?? 0)));
  const sum = weights.reduce((a, b) => a + b, 0);
  const done = now.children.filter((child, i) => settled(child) && weights[i] !== 0).length;
  const total = weights.filter((weight) => weight !== 0).length;
  if (total === 0) return { done, total };
  return { done, total, share: parts.reduce((a, part, i) => a + part * ((weights[i] ?? 0) / sum), 0) };
}

function added(now: Operation): Want {
  const unit = now.rule === "sum" ? "bytes" : "items";
  let done = 0;
  const totals: number[] = [];
  const open: number[] = [];
  let guessed = false;
  for (const child of now.children) {
    if (child.weight === 0) continue;
    const p = child.progress;
    const isOver = isTerminal(child.state);
    if (unit === "items" && p?.unit !== "items") {
      done += settled(child) ? 1 : 0;
      totals.push(1);
    } else if (p === undefined) {
      if (!isOver) open.push(0);
    } else if (p.unit === unit) {
      done += p.done;
      if (settled(child) || (isOver && (p.estimated || p.total === undefined))) totals.push(p.done);
      else if (p.total === undefined) open.push(p.done);
      else {
        totals.push(p.total);
        guessed ||= p.estimated === true;
      }
    }
  }
  const most = Number.MAX_SAFE_INTEGER;
  const d = Math.min(done, most);
  const sizes = totals.filter((size) => size > 0);
  if (open.length > 0 && (unit === "items" || sizes.length === 0)) return { done: d };
  const mean = sizes.reduce((a, b) => a + b / sizes.length, 0);
  const all = [...totals, ...open.map((least) => Math.max(least, Math.round(mean)))];
  const t = all.reduce((a, b) => Math.min(a + b, most), 0);
  const estimated = guessed || open.length > 0;
  return { done: d, total: t, ...(t > 0 && { share: d / t }), ...(estimated && { estimated }) };
}
