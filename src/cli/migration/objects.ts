import { type KindName, kinds, type MigCondition, type ObjectByKind } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { builtIn, type Client, isAlreadyExists, resourceOf } from "../../kube/index.ts";
import { withCluster } from "../cluster.ts";
import type { Input } from "../command.ts";
import type { Io } from "../io.ts";
import { makeOrShow } from "../make.ts";
import { printObjects } from "../objects.ts";
import { table } from "../render/table.ts";

/** The kinds of migrations. */
export type MigKind = Extract<KindName, "MigCluster" | "MigStorage" | "MigPlan" | "MigMigration">;

/** Lists objects of a kind as a table or as data; `rowOf` gives the cells under the headings. */
export async function getObjects<K extends MigKind>(
  kind: K,
  view: {
    readonly headings: readonly string[];
    readonly rowOf: (object: ObjectByKind<K>) => readonly string[];
  },
  given: { readonly input: Input; readonly io: Io },
  signal: AbortSignal,
): Promise<void> {
  const { input, io } = given;
  await withCluster(input, io, async ({ client, namespace }) => {
    const resource = resourceOf(kinds[kind]);
    const found =
      input.args.length === 0
        ? await client.list<ObjectByKind<K>>(resource, { namespace }, signal)
        : await Promise.all(
            input.args.map((name) => client.get<ObjectByKind<K>>(resource, name, { namespace }, signal)),
          );
    const sorted = found.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    await printObjects(sorted, resource, { input, io }, (all, style) =>
      table(view.headings, all.map(view.rowOf), style),
    );
  });
}

/** Creates an object of a kind with what has to be there before it, or prints them all with `-o`. */
export async function createObjects(
  objects: readonly Made[],
  given: { readonly input: Input; readonly io: Io },
  signal: AbortSignal,
): Promise<boolean> {
  const { input, io } = given;
  const known = knownKind(objects.at(-1));
  return makeOrShow(objects, resourceOf(known), given, ({ dryRun }) =>
    withCluster(input, io, async ({ client }) => {
      // The Secret of an object that was deleted may be left: whether the name is taken is the object's to say.
      const secrets = objects.filter(({ kind }) => kind === "Secret");
      for (const object of objects.filter(({ kind }) => kind !== "Secret"))
        await make(client, object, dryRun, signal);
      if (!dryRun) for (const secret of secrets) await putSecret(client, secret, signal);
    }),
  );
}

function knownKind(object: Made | undefined) {
  const known = Object.values(kinds).find(({ kind }) => kind === object?.kind);
  if (!known) throw new Error(`no kind ${object?.kind}`);
  return known;
}

interface Made {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly [field: string]: unknown;
}

async function make(client: Client, object: Made, dryRun: boolean, signal: AbortSignal): Promise<void> {
  const known = knownKind(object);
  try {
    await client.create(resourceOf(known), object, { dryRun }, signal);
  } catch (cause) {
    if (!isAlreadyExists(cause)) throw cause;
    const { name, namespace } = object.metadata;
    const words = `there is a ${object.kind} "${name}" in namespace "${namespace}" already: choose another name, or remove it with "kubectl delete ${known.plural} ${name} -n ${namespace}"`;
    throw new AppError("USAGE", words, { cause, retry: false });
  }
}

async function putSecret(client: Client, secret: Made, signal: AbortSignal): Promise<void> {
  try {
    await client.create(builtIn.secrets, secret, {}, signal);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { name, namespace } = secret.metadata;
    await client.patch(builtIn.secrets, name, { type: "merge", body: secret }, { namespace }, signal);
  }
}

/** The head of an object of migrations. */
export function headOf<K extends MigKind>(kind: K, name: string, namespace: string) {
  return { apiVersion: "migration.openshift.io/v1alpha1", kind, metadata: { name, namespace } } as const;
}

/** `Ready`, or the first thing that is wrong, in words. */
export function readiness(conditions: readonly MigCondition[] | undefined): string {
  const all = (conditions ?? []).filter(({ status }) => status === "True");
  const wrong = all.find(({ category }) => category === "Critical" || category === "Error");
  if (wrong) return wrong.type;
  if (all.some(({ type }) => type === "Closed")) return "Closed";
  return all.some(({ type }) => type === "Ready") ? "Ready" : "Pending";
}

/** What keeps an object from being ready, or what a person should know of it, in one sentence; empty when all is well. */
export function whyNot(conditions: readonly MigCondition[] | undefined): string {
  const all = (conditions ?? []).filter(({ status }) => status === "True");
  const first = ["Critical", "Error", "Warn"].flatMap((category) =>
    all.filter((condition) => condition.category === category),
  )[0];
  if (first) return first.message || first.type;
  return all.length === 0 ? "nobody has looked at it: does the operator run?" : "";
}

/** Conditions for a person: what is wrong first, each with its words. */
export function conditionLines(conditions: readonly MigCondition[] | undefined): readonly string[] {
  const order = ["Critical", "Error", "Warn", "Required", "Advisory"];
  return (conditions ?? [])
    .filter(({ status }) => status === "True")
    .toSorted((a, b) => order.indexOf(a.category) - order.indexOf(b.category))
    .map(({ type, category, message = "", progress }) => {
      const words = [message, progress].filter(Boolean).join(" ");
      return `  ${category}: ${type}${words ? `: ${words}` : ""}`;
    });
}
