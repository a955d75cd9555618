import {
  type ConversionPlan,
  type ConvertSink,
  convertObservation,
  type ResticCopy,
  type VolumeProgress,
} from "../../engines/bucket/index.ts";
import { formatBytes, type State } from "../../progress/index.ts";
import type { Io } from "../io.ts";
import { clean } from "../render/text.ts";
import { Show } from "./show.ts";

/** Shows how far a conversion is, and keeps what `-o json` prints. Bounded by the volumes of the plan. */
export class ConvertShow implements ConvertSink {
  readonly results: object[] = [];
  readonly #name: string;
  readonly #show: Show;
  readonly #isStructured: boolean;
  readonly #volumes: Map<ResticCopy, VolumeProgress>;

  constructor(name: string, plan: ConversionPlan, io: Io, isStructured: boolean) {
    this.#name = name;
    this.#show = new Show(io, isStructured);
    this.#isStructured = isStructured;
    const copies = plan.backups.flatMap((backup) => backup.copies);
    this.#volumes = new Map(copies.map((copy) => [copy, { copy, state: "pending", size: copy.bytes ?? 0 }]));
    this.#see("running");
  }

  pass(copy: ResticCopy, pass: NonNullable<VolumeProgress["pass"]>, bytes: number, size: number): void {
    this.#set(copy, { state: "running", pass, bytes, size });
  }

  volume(copy: ResticCopy, result: Parameters<ConvertSink["volume"]>[1], was: boolean): void {
    const { kopiaId, bytes } = result;
    const [files, special] = "files" in result ? [result.files, result.special] : [undefined, 0];
    this.#set(copy, { state: "completed", size: bytes });
    const compared = files === undefined ? "" : `, ${files} files compared`;
    const left = special > 0 ? `; ${special} pipes, sockets or devices are left out` : "";
    const how = was ? "was converted before" : `is converted (${formatBytes(bytes)}${compared}${left})`;
    this.#tell(`${copy.backup}: ${volumeOf(copy)} ${how}: ${copy.resticId} is now ${kopiaId}`, {
      backup: copy.backup,
      volume: volumeOf(copy),
      restic: copy.resticId,
      kopia: kopiaId,
      bytes,
      ...(files !== undefined && { files }),
      was,
    });
  }

  failed(copy: ResticCopy, reason: string): void {
    this.#set(copy, { state: "failed", message: reason });
    const facts = { backup: copy.backup, volume: volumeOf(copy), failed: reason };
    this.#tell(`${copy.backup}: ${volumeOf(copy)} is not converted: ${clean(reason)}`, facts);
  }

  backup(name: string): void {
    this.#tell(`${name}: Velero 1.19 and later will take it`, { backup: name, converted: true });
  }

  end(state: State): void {
    this.#see(state);
    this.#show.end();
  }

  #set(copy: ResticCopy, change: Partial<VolumeProgress>): void {
    const before = this.#volumes.get(copy) ?? { copy, state: "running", size: 0 };
    this.#volumes.set(copy, { ...before, ...change });
    this.#see("running");
  }

  #see(state: State): void {
    const isLast = state !== "running";
    this.#show.see(
      () => convertObservation(this.#name, [...this.#volumes.values()], state),
      Date.now(),
      isLast,
    );
  }

  #tell(words: string, facts: object): void {
    if (this.#isStructured) this.results.push(facts);
    else this.#show.line(words);
  }
}

/** The volume of a copy, for people. */
export function volumeOf({ namespace, pod, volume }: ResticCopy): string {
  return `${namespace}/${pod}/${volume}`;
}
