import { criticalPath, type Job, type Span, simulate } from "./simulate.ts";
import {
  type BackupWork,
  type Basis,
  type Duration,
  objectsDuration,
  type Place,
  volumeDurations,
} from "./work.ts";

/** How long a recovery takes, why, and what would make it shorter. */
export interface Forecast {
  readonly seconds: number;
  /** Four of five recoveries should end between these. */
  readonly low: number;
  readonly high: number;
  readonly objects: number;
  readonly volumes: number;
  /** Of the volumes whose size is known. */
  readonly bytes: number;
  readonly restores: readonly RestoreForecast[];
  /** The work that decides the end, the first first. */
  readonly criticalPath: readonly Omit<Span, "after">[];
  readonly levers: readonly Lever[];
  /** How many volumes and restores rest on what. */
  readonly bases: Readonly<Partial<Record<Basis, number>>>;
}

/** One restore of it, in order. */
interface RestoreForecast {
  readonly backup: string;
  readonly objects?: number;
  readonly volumes: number;
  readonly bytes: number;
  readonly start: number;
  readonly end: number;
  /** The weakest ground that its numbers stand on. */
  readonly basis: Basis;
}

/** What one could change, and the share of the time that it saves. */
export interface Lever {
  readonly change: "slots" | "bandwidth" | "largest first";
  readonly to: string;
  readonly seconds: number;
  readonly saves: number;
}

/** Recoveries that are played for the range, fewer where each is large: 6,000 volumes on 8 slots take a second. */
const mostDraws = 400;
const leastDraws = 50;
const drawnVolumes = 400_000;
/** What a link gives of what it is said to give, in four of five cases: so much less or more. A guess, not measured. */
const linkFactor = 1.3;
/** How much of a miss is common to all work of a recovery, since it shares link, store and cluster: a guess, not measured. */
const common = 0.7;
/** Savings below this are not worth telling. */
const leastSaving = 0.05;
const surest: readonly Basis[] = ["restores", "backups", "other volumes", "bandwidth", "assumed"];

/** What to expect of restoring these backups in this order. Deterministic: the same question has the same answer. */
export function forecast(backups: readonly BackupWork[], place: Place): Forecast {
  const duration = volumeDurations(backups, place);
  const known = backups.map((backup) => ({
    backup,
    objects: objectsDuration(backup),
    volumes: backup.volumes.map((volume) => ({ volume, duration: duration(volume) })),
  }));
  const jobs = (take: (duration: Duration) => number): Job[] =>
    known.map(({ backup, objects, volumes }) => ({
      name: backup.name,
      objectsSeconds: take(objects),
      volumes: volumes.map(({ volume, duration: each }) => ({
        title: volume.title,
        seconds: take(each),
        bytes: volume.bytes ?? 0,
      })),
      readySeconds: backup.readySeconds ?? 0,
    }));
  const usual = jobs(({ seconds }) => seconds);
  const spans = simulate(usual, place);
  const seconds = endOf(spans);
  const durations = known.flatMap(({ objects, volumes }) => [objects, ...volumes.map((one) => one.duration)]);
  const draws = Math.min(mostDraws, Math.max(leastDraws, Math.floor(drawnVolumes / (1 + durations.length))));
  const ends = sampled(draws, (chance, link) => {
    const { slots, bytesPerSecond } = place;
    const given = bytesPerSecond === undefined ? {} : { bytesPerSecond: bytesPerSecond * link };
    return endOf(simulate(jobs(chance), { slots, ...given }));
  });
  return {
    seconds,
    low: Math.min(seconds, ends[Math.floor(draws * 0.1)] ?? seconds),
    high: Math.max(seconds, ends[Math.floor(draws * 0.9)] ?? seconds),
    objects: sum(backups.map(({ items = 0 }) => items)),
    volumes: sum(backups.map(({ volumes }) => volumes.length)),
    bytes: sum(backups.flatMap(({ volumes }) => volumes.map(({ bytes = 0 }) => bytes))),
    restores: known.map(({ backup, objects, volumes }) => {
      const own = spans.filter((span) => span.backup === backup.name);
      return {
        backup: backup.name,
        ...(backup.items !== undefined && { objects: backup.items }),
        volumes: volumes.length,
        bytes: sum(volumes.map(({ volume }) => volume.bytes ?? 0)),
        start: Math.min(...own.map(({ start }) => start)),
        end: endOf(own),
        basis: weakest([objects, ...volumes.map((one) => one.duration)]),
      };
    }),
    criticalPath: criticalPath(spans).map(({ after: _after, ...span }) => span),
    levers: leversOf(usual, place, seconds),
    bases: Object.fromEntries(
      surest
        .map((basis) => [basis, durations.filter((one) => one.basis === basis).length] as const)
        .filter(([, count]) => count > 0),
    ),
  };
}

function leversOf(jobs: readonly Job[], place: Place, seconds: number): readonly Lever[] {
  const more = place.slots + 2;
  const wide = place.bytesPerSecond === undefined ? undefined : 2 * place.bytesPerSecond;
  const sorted = jobs.map((job) => ({
    ...job,
    volumes: job.volumes.toSorted((a, b) => b.seconds - a.seconds),
  }));
  const tried: readonly (readonly [Omit<Lever, "seconds" | "saves">, number])[] = [
    [{ change: "slots", to: `${more}` }, endOf(simulate(jobs, { ...place, slots: more }))],
    ...(wide === undefined
      ? []
      : ([
          [{ change: "bandwidth", to: `${wide}` }, endOf(simulate(jobs, { ...place, bytesPerSecond: wide }))],
        ] as const)),
    [{ change: "largest first", to: "" }, endOf(simulate(sorted, place))],
  ];
  return tried
    .map(([lever, end]) => ({ ...lever, seconds: end, saves: seconds > 0 ? 1 - end / seconds : 0 }))
    .filter(({ saves }) => saves >= leastSaving)
    .toSorted((a, b) => b.saves - a.saves);
}

/** The ends of many recoveries, in order, each with its own luck. */
function sampled(
  draws: number,
  endWith: (take: (duration: Duration) => number, link: number) => number,
): readonly number[] {
  const normal = normals(20_261_118);
  return Array.from({ length: draws }, () => {
    const shared = normal();
    const link = linkFactor ** (-shared / 1.2816);
    return endWith(({ seconds, low, high }) => {
      if (!(seconds > 0)) return 0;
      const z = common * shared + Math.sqrt(1 - common ** 2) * normal();
      // Each end of the range holds nine of ten: that is 1.28 deviations away.
      const edge = z < 0 ? Math.max(low, seconds / 100) : high;
      return seconds * Math.exp((Math.abs(z) / 1.2816) * Math.log(edge / seconds));
    }, link);
  }).toSorted((a, b) => a - b);
}

/** Normal deviates by Box and Muller, from a generator that starts at `seed`. */
function normals(seed: number): () => number {
  let state = seed;
  const uniform = () => {
    // mulberry32: small, and good enough to draw a range with.
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

function endOf(spans: readonly Span[]): number {
  return spans.reduce((end, span) => Math.max(end, span.end), 0);
}

function weakest(durations: readonly Duration[]): Basis {
  return durations
    .map(({ basis }) => basis)
    .reduce((a, b) => (surest.indexOf(a) >= surest.indexOf(b) ? a : b), "restores");
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}
