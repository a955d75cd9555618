import { backupNames, type Store } from "../../store/index.ts";
import { type InspectArchive, readBackup } from "./facts.ts";
import { type Finding, finding, quoted } from "./findings.ts";
import { type Folder, folders, isBackupName } from "./folder.ts";
import { inLanes } from "./in-lanes.ts";
import { type BackupReport, type BackupState, judge } from "./judge.ts";
import type { Counts } from "./progress.ts";
import { planRepair, type Removal } from "./repair.ts";
import { type Opening, Repositories, type RepositoryReport } from "./repositories.ts";
import { usesOf } from "./volumes.ts";

/** What a check works with. */
export interface CheckDeps {
  readonly store: Store;
  /** Absent: repositories are not opened. */
  readonly opening?: Opening | undefined;
  /** Absent: archives are not read. */
  readonly inspect?: InspectArchive | undefined;
  readonly now: () => number;
}

/** Who hears what a check finds, while it finds it: nothing of it is held. */
export interface CheckSink {
  backup(report: BackupReport): void;
  repository(report: RepositoryReport): void;
  /** Of the bucket as a whole. */
  found(found: Finding): void;
  progress(counts: Counts): void;
}

/** What a check says in the end. */
export interface CheckSummary {
  readonly states: Readonly<Record<BackupState, number>>;
  readonly backupBytes: number;
  readonly repositoryBytes: number;
  readonly restores: number;
  readonly restoreBytes: number;
  readonly errors: number;
  readonly warnings: number;
  readonly notes: number;
  /** What is proven to be useless. */
  readonly removals: readonly Removal[];
}

/** Backups that are read side by side; each may hold its lists, within the limits of the strict reader. */
const lanes = 4;
/** Foreign objects that are told one by one. */
const toldAtMost = 20;
/** The folders of a location. */
const ours: readonly string[] = ["backups", "restores", "kopia", "restic", "metadata", "plugins"];

/** Looks at all of a bucket. Memory is bounded by the lanes, the namespaces and the ids of snapshots, not by the backups. */
export async function checkBucket(
  deps: CheckDeps,
  sink: CheckSink,
  signal: AbortSignal,
): Promise<CheckSummary> {
  return await new Check(deps, sink, signal).run();
}

class Check {
  readonly #deps: CheckDeps;
  readonly #sink: CheckSink;
  readonly #signal: AbortSignal;
  readonly #repositories: Repositories;
  readonly #states = { whole: 0, damaged: 0, lost: 0, unfinished: 0 };
  readonly #weights = { error: 0, warning: 0, note: 0 };
  readonly #halves: { name: string; folder: Folder }[] = [];
  #counts: Counts = { backups: { done: 0 }, repositories: { done: 0 }, restores: { done: 0 } };
  #backupBytes = 0;
  #allRead = true;

  constructor(deps: CheckDeps, sink: CheckSink, signal: AbortSignal) {
    this.#deps = deps;
    this.#sink = sink;
    this.#signal = signal;
    this.#repositories = new Repositories(deps.store, deps.opening);
  }

  async run(): Promise<CheckSummary> {
    await this.#look();
    await this.#repositories.survey(
      () => this.#count("repositories"),
      (found) => this.#found(found),
      this.#signal,
    );
    await this.#backups();
    const restores = await this.#restores();
    const reports = this.#repositories.reports(this.#allRead);
    for (const report of reports) {
      for (const { weight } of report.findings) this.#weights[weight] += 1;
      this.#sink.repository(report);
    }
    return {
      states: this.#states,
      backupBytes: this.#backupBytes,
      repositoryBytes: reports.reduce((sum, { bytes }) => sum + bytes, 0),
      restores: restores.folders,
      restoreBytes: restores.bytes,
      errors: this.#weights.error,
      warnings: this.#weights.warning,
      notes: this.#weights.note,
      removals: planRepair({
        halves: this.#halves,
        unused: this.#allRead ? this.#repositories.unused() : [],
        nowMs: this.#deps.now(),
      }),
    };
  }

  /** What lies at the top, and how much there is to do. */
  async #look(): Promise<void> {
    const { store } = this.#deps;
    let strange = 0;
    for await (const entry of store.list("", { delimiter: "/" }, this.#signal)) {
      const name = "prefix" in entry ? entry.prefix : entry.object.key;
      if ("prefix" in entry && ours.includes(name.slice(0, -1))) continue;
      strange += 1;
      if (strange > toldAtMost) continue;
      const what = "prefix" in entry ? "folder" : "file";
      this.#found(
        finding(
          "foreign-files",
          `the ${what} ${quoted(name)} at the top is none of a backup location's`,
          name,
        ),
      );
    }
    if (strange > toldAtMost)
      this.#found(finding("foreign-files", `and ${strange - toldAtMost} more at the top`));
    const repositories = await this.#repositories.count(this.#signal);
    let backups = 0;
    for await (const _name of backupNames(store, this.#signal)) backups += 1;
    this.#counts = {
      ...this.#counts,
      repositories: { done: 0, total: repositories },
      backups: { done: 0, total: backups },
    };
    this.#sink.progress(this.#counts);
  }

  async #backups(): Promise<void> {
    const { store, inspect, now } = this.#deps;
    const entries = folders(store.list("backups/", {}, this.#signal), "backups/");
    const read = async (folder: Folder) => {
      const isOne = isBackupName(folder.name);
      return {
        folder,
        facts: isOne ? await readBackup(folder, { store, inspect }, this.#signal) : undefined,
      };
    };
    for await (const { folder, facts } of inLanes(entries, lanes, read)) {
      if (facts) {
        await this.#repositories.lookAgain(usesOf(facts), this.#signal);
        this.#judged(judge(facts, this.#repositories, now()), folder);
      } else this.#strange(folder);
      this.#count("backups");
    }
  }

  #judged(report: BackupReport, folder: Folder): void {
    this.#states[report.state] += 1;
    this.#backupBytes += report.bytes;
    if (!report.isRead) this.#allRead = false;
    for (const repository of report.repositories) this.#repositories.use(repository);
    for (const { weight } of report.findings) this.#weights[weight] += 1;
    // Without metadata it has no phase: what has one was a backup, whatever became of it.
    if (report.state === "unfinished" && report.phase === undefined) {
      if (this.#halves.length < heldHalves) this.#halves.push({ name: report.name, folder });
    }
    this.#sink.backup(report);
  }

  #strange({ name, objects, keys }: Folder): void {
    const [key = ""] = keys.map((one) => one.key);
    const what =
      name === ""
        ? `${objects} files lie below backups/ and in no backup, the first: ${quoted(key)}`
        : `the folder ${quoted(name)} below backups/ has a name that no backup has; ${objects} files in it`;
    // It may be a backup of somebody whose names we do not know: nothing is proven while it is there.
    this.#allRead = false;
    this.#found(finding("strange-name", what, key));
  }

  async #restores(): Promise<{ readonly folders: number; readonly bytes: number }> {
    let [count, bytes] = [0, 0];
    for await (const folder of folders(this.#deps.store.list("restores/", {}, this.#signal), "restores/")) {
      count += 1;
      bytes += folder.bytes;
      if (!isBackupName(folder.name)) {
        const what = `${quoted(folder.keys[0]?.key ?? folder.name)} is in no restore`;
        this.#found(finding("strange-name", what, folder.keys[0]?.key));
      }
      this.#count("restores");
    }
    return { folders: count, bytes };
  }

  #found(found: Finding): void {
    this.#weights[found.weight] += 1;
    this.#sink.found(found);
  }

  #count(what: keyof Counts): void {
    const before = this.#counts[what];
    this.#counts = { ...this.#counts, [what]: { ...before, done: before.done + 1 } };
    this.#sink.progress(this.#counts);
  }
}

/** Half-uploaded backups that one repair removes; the next finds the others. */
const heldHalves = 10_000;
