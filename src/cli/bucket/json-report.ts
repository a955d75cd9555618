import type { BackupReport, CheckSummary, Finding, RepositoryReport } from "../../engines/bucket/index.ts";
import type { Io } from "../io.ts";

/** One JSON document, written while it is found: ten thousand backups are not held. */
export class JsonReport {
  readonly #io: Io;
  readonly #findings: Finding[] = [];
  #list: "backups" | "repositories" = "backups";
  #entries = 0;

  constructor(io: Io, place: string) {
    this.#io = io;
    io.out(`{\n"bucket": ${JSON.stringify(place)},\n"backups": [`);
  }

  backup({ uses: _uses, isRead: _isRead, ...report }: BackupReport): void {
    this.#entry("backups", report);
  }

  repository(report: RepositoryReport): void {
    this.#entry("repositories", report);
  }

  /** Of the whole bucket; a check tells a few of them only. */
  found(found: Finding): void {
    if (this.#findings.length < 10_000) this.#findings.push(found);
  }

  end({ removals, ...summary }: CheckSummary): void {
    this.#open("repositories");
    const rest = { findings: this.#findings, removals, summary };
    this.#io.out(`\n],\n${JSON.stringify(rest, null, 1).slice(1).trimStart()}\n`);
  }

  #entry(list: "backups" | "repositories", value: object): void {
    this.#open(list);
    this.#io.out(`${this.#entries === 0 ? "" : ","}\n${JSON.stringify(value)}`);
    this.#entries += 1;
  }

  #open(list: "backups" | "repositories"): void {
    if (this.#list === list) return;
    this.#list = list;
    this.#entries = 0;
    this.#io.out(`\n],\n"${list}": [`);
  }
}
