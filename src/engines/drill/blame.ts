import type { Backup, Drill, Restore } from "../../api/index.ts";

/** What failed, and what that is put down to. */
export type Failure = NonNullable<NonNullable<Drill["status"]>["failures"]>[number];
type Verdict = Pick<Failure, "part" | "reason">;
type Words = readonly (readonly [pattern: RegExp, verdict: Verdict])[];

/** What movers and agents say when the data of a volume does not come back; the first that fits counts. */
const volumeWords: Words = [
  [
    /wrong password|no key found|invalid (repository )?password|incorrect password/i,
    { part: "repository", reason: "WrongPassword" },
  ],
  [/no space left|disk quota exceeded|ENOSPC/i, { part: "cluster", reason: "NoSpace" }],
  [
    /ciphertext verification|hash does(n't| not) match|hash mismatch|checksum|corrupt|decrypt|message authentication|invalid data|data returned|damaged|unexpected EOF|error verifying|invalid content/i,
    { part: "repository", reason: "DamagedData" },
  ],
  [
    /blob not found|pack .* (not found|missing)|no such file|does not exist|object not found|NoSuchKey|not found in|missing from the repository|no matching ID/i,
    { part: "repository", reason: "MissingData" },
  ],
  [
    /connection refused|no such host|i\/o timeout|network is unreachable|access denied|x509/i,
    { part: "location", reason: "Unreachable" },
  ],
  [
    /no node agent|agent .*(gone|lost|silent)|node .*(gone|lost|not ready)/i,
    { part: "cluster", reason: "NoAgent" },
  ],
  [/\bcould not restore\b/i, { part: "repository", reason: "VolumeNotRestored" }],
];

/** What the restore says of single objects. */
const itemWords: Words = [
  [
    /does not serve|no matches for kind|could not find the requested resource/i,
    { part: "cluster", reason: "KindNotServed" },
  ],
  [/exceeded quota/i, { part: "cluster", reason: "Quota" }],
  [/forbidden|needs the right/i, { part: "cluster", reason: "NotAllowed" }],
  [/admission webhook|denied the request/i, { part: "cluster", reason: "Refused" }],
  [/resource modifier/i, { part: "drill", reason: "Modifier" }],
  [/no JSON|not JSON|archive/i, { part: "backup", reason: "DamagedArchive" }],
];

/** Why a whole restore failed. */
const runWords: Words = [
  [/no service account|may not restore|needs the right/i, { part: "cluster", reason: "NotAllowed" }],
  [/resource modifier|ConfigMap/i, { part: "drill", reason: "Modifier" }],
  [
    /read the backup's archive|archive|gzip|unexpected end|incorrect (header|data) check|tar\b/i,
    { part: "backup", reason: "DamagedArchive" },
  ],
  [
    /has no object|there is no .*(tar\.gz|json)|STORE_MISSING|is not there/i,
    { part: "backup", reason: "MissingFile" },
  ],
  [/storage location|bucket|marker|unavailable/i, { part: "location", reason: "Unreachable" }],
  [/there is no backup/i, { part: "backup", reason: "Gone" }],
];

function judged(words: Words, text: string, otherwise: Verdict): Verdict {
  return words.find(([pattern]) => pattern.test(text))?.[1] ?? otherwise;
}

/** Why the data of a volume did not come back. */
export function volumeFailure(object: string, message: string): Failure {
  const said = message === "" ? "its data was not restored" : message;
  return {
    ...judged(volumeWords, message, { part: "repository", reason: "VolumeNotRestored" }),
    object,
    message: said,
  };
}

/** Why an object was not restored. */
export function itemFailure(place: string, message: string): Failure {
  return {
    ...judged(itemWords, message, { part: "backup", reason: "ObjectNotRestored" }),
    object: place,
    message,
  };
}

/** Why a restore failed as a whole; undefined when it did not. */
export function runFailure({ metadata, status }: Restore): Failure | undefined {
  const phase = status?.phase ?? "New";
  if (phase !== "Failed" && phase !== "FailedValidation") return undefined;
  const message = status?.failureReason || status?.validationErrors?.join("; ") || `the restore is ${phase}`;
  const object = `restore ${metadata.name}`;
  return { ...judged(runWords, message, { part: "drill", reason: "RestoreFailed" }), object, message };
}

/** The errors of a results file, by the namespace that they belong to. */
export interface StoredErrors {
  readonly velero?: readonly string[];
  readonly cluster?: readonly string[];
  readonly namespaces?: Readonly<Record<string, readonly string[]>>;
}

/** What the restore could not do to objects; what the volumes tell themselves is not told twice. */
export function itemFailures(errors: StoredErrors, told: readonly Failure[]): readonly Failure[] {
  const places: readonly (readonly [string, readonly string[]])[] = [
    ["restore", errors.velero ?? []],
    ["cluster", errors.cluster ?? []],
    ...Object.entries(errors.namespaces ?? {}).map(([name, texts]) => [`namespace ${name}`, texts] as const),
  ];
  const isTold = (text: string) =>
    told.some(({ message }) => message !== "" && text.includes(message.slice(0, 200)));
  return places.flatMap(([place, texts]) =>
    texts.filter((text) => !isTold(text)).map((text) => itemFailure(place, text)),
  );
}

/** At most so many failures and checks are kept in a status; the counts are exact. */
export const keptFailures = 50;

/** The failures without repeats, those of the deepest cause first, as many as a status keeps. */
export function keptOf(failures: readonly Failure[]): readonly Failure[] {
  const order: readonly Failure["part"][] = [
    "location",
    "backup",
    "repository",
    "cluster",
    "image",
    "application",
    "check",
    "drill",
  ];
  const unique = new Map(
    failures.map((one) => [JSON.stringify([one.part, one.reason, one.object, one.message]), one]),
  );
  return [...unique.values()]
    .toSorted((a, b) => order.indexOf(a.part) - order.indexOf(b.part))
    .slice(0, keptFailures)
    .map((one) => ({ ...one, message: one.message.slice(0, 1_000) }));
}

/** What a partially failed backup does not hold cannot be proved, whoever else tells of it. */
export function unstored({ metadata: { name }, status }: Pick<Backup, "metadata" | "status">): Failure[] {
  if (status?.phase !== "PartiallyFailed") return [];
  const message = `backup "${name}" is PartiallyFailed with ${status.errors ?? 0} errors: it does not hold everything`;
  return [{ part: "backup", reason: "PartiallyFailed", object: `backup ${name}`, message }];
}
