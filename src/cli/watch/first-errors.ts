import type { FileWanted } from "../../observe/index.ts";
import { readResults } from "../backup/stored-words.ts";
import type { StoredResult } from "../backup/words.ts";
import { clean } from "../render/text.ts";

/** So many are told; the rest is in the description. */
const most = 5;

/** The file with what went wrong, by the kind of work. */
export const resultFiles: Readonly<Record<string, FileWanted["kind"]>> = {
  backup: "BackupResults",
  restore: "RestoreResults",
};

/** The first errors of a results file, a line each. */
export function firstErrors(results: unknown): readonly string[] {
  const all = [...errorsIn(readResults(results)?.errors ?? {})];
  const more = all.length - most;
  return [...all.slice(0, most), ...(more > 0 ? [`… and ${more} more`] : [])];
}

function* errorsIn({ velero = [], cluster = [], namespaces = {} }: StoredResult): Generator<string> {
  for (const text of [...velero, ...cluster]) yield errorWords(text);
  for (const [namespace, texts] of Object.entries(namespaces)) {
    for (const text of texts) yield `${clean(namespace)}: ${errorWords(text)}`;
  }
}

/** `resource: /pods name: /web message: /cannot be read error: /gone`, as files hold it, for a person. */
export function errorWords(stored: string): string {
  const text = clean(stored);
  const found = /^(?:resource: \/(\S*) )?(?:name: \/(\S*) )?(?:message: \/(.*?))?(?: ?error: \/(.*))?$/.exec(
    text,
  );
  const [, resource, name, message, error] = found ?? [];
  if (message === undefined && error === undefined) return text;
  const subject = [resource, name && `"${name}"`].filter(Boolean).join(" ");
  return [subject, message, error].filter(Boolean).join(": ");
}
