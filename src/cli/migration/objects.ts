import { type KindName, kinds, type MigCondition, type ObjectByKind } from "../../api/index.ts";
import { builtIn, resourceOf } from "../../kube/index.ts";
import { withCluster } from "../cluster.ts";
import { type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
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
    const format = text(input, "output") ?? "table";
    if (format === "name") return io.out(sorted.map(({ metadata }) => `${metadata.name}\n`).join(""));
    if (format === "table") return io.out(table(view.headings, sorted.map(view.rowOf)));
    const one = input.args.length === 1 && sorted.length === 1;
    const { structured } = await import("../render/structured.ts");
    io.out(await structured(one ? sorted[0] : { apiVersion: "v1", kind: "List", items: sorted }, format));
  });
}

/** Creates an object of a kind with what has to be there before it, or prints them all with `-o`. */
export async function createObjects(
  objects: readonly { readonly kind: string; readonly [field: string]: unknown }[],
  given: { readonly input: Input; readonly io: Io },
  signal: AbortSignal,
): Promise<boolean> {
  const { input, io } = given;
  const format = text(input, "output");
  if (format !== undefined) {
    const { structured } = await import("../render/structured.ts");
    const [only] = objects;
    const whole = objects.length === 1 ? only : { apiVersion: "v1", kind: "List", items: objects };
    io.out(await structured(whole, format));
    return false;
  }
  await withCluster(input, io, async ({ client }) => {
    for (const object of objects) {
      const known = Object.values(kinds).find(({ kind }) => kind === object.kind);
      await client.create(known ? resourceOf(known) : secrets, object, {}, signal);
    }
  });
  return true;
}

const secrets = builtIn.secrets;

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
