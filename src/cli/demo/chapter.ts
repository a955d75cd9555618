import type { KubeObject } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import type { Client, Resource } from "../../kube/index.ts";
import type { Operation } from "../../progress/index.ts";
import { formatDuration } from "../../progress/index.ts";
import { paint } from "../render/text.ts";

/** One part of the demo's story: what it is called and what it does. It throws when it did not end well. */
export interface Chapter {
  readonly title: string;
  /** Why it cannot be told here, when it cannot: said instead of running it. */
  skip?(scene: Scene): string | undefined;
  run(scene: Scene): Promise<void>;
}

/** What a chapter has to work with. Chapters leave the shop as they found it, for those after them. */
export interface Scene {
  readonly client: Client;
  readonly kubeconfig: string;
  /** How the cluster is reached, for a kubeconfig with others beside it; none when it was there before. */
  readonly entry?: {
    readonly name: string;
    readonly url: string;
    readonly token: string;
    readonly ca: string;
  };
  /** A cluster in this process, or one that was there before. */
  readonly place: "embedded" | "cluster";
  /** The namespace of the server and its objects. */
  readonly namespace: string;
  /** How much data to work with, all volumes together. */
  readonly megabytes: number;
  /** Image with a shell, `head`, `find` and `sha256sum` for the pods of a chapter. */
  readonly image: string;
  /** Folder of this demo, for files and logs; gone with it. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** The name of a backup or restore of this demo: on a cluster of others no one else has it. */
  named(name: string): string;
  /** Done when the demo ends, whenever that is. */
  atEnd(close: () => Promise<void>): void;
  /** Says a line under the chapter's title. */
  say(words: string): void;
  /** Creates an object of any kind that the cluster serves. */
  create(object: KubeObject): Promise<void>;
  /** Shows an operation live until it has ended well, by its id: kind/namespace/name in lower case. */
  follow(id: string): Promise<Operation>;
}

/** Tells the chapters one after the other, with numbers from `first`. */
export async function tell(
  chapters: readonly Chapter[],
  scene: Scene,
  heading: (words: string) => void,
  first = 1,
): Promise<void> {
  for (const [i, chapter] of chapters.entries()) {
    heading(`${first + i}. ${chapter.title}`);
    const reason = chapter.skip?.(scene);
    if (reason === undefined) await chapter.run(scene);
    else scene.say(`left out: ${reason}`);
  }
}

/** The resource of an object, as the cluster serves it. */
export async function resourceFor(
  client: Client,
  object: KubeObject,
  signal: AbortSignal,
): Promise<Resource> {
  const { resources } = await client.discover(signal);
  const found = resources.find(
    ({ group, version, kind }) =>
      kind === object.kind && (group === "" ? version : `${group}/${version}`) === object.apiVersion,
  );
  if (!found)
    throw new AppError("DEMO_FAILED", `the cluster does not serve ${object.apiVersion} ${object.kind}`);
  return found;
}

/** How an operation ended, in one line. */
export function ending({ title, state, startedAt = 0, finishedAt = 0 }: Operation): string {
  return `${title} ${state} in ${formatDuration((finishedAt - startedAt) / 1000)}`;
}

/** A heading of the story. */
export function bold(words: string, color: boolean): string {
  return `${paint(words, "bold", color)}\n`;
}
