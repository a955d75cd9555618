import { selfSigned } from "../../../packages/wire/index.ts";
import { type KubeObject, parseGoDurationMs } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { builtIn, type Client, isNotFound, systemClock } from "../../kube/index.ts";
import { readPackage } from "../../package.ts";
import { openCluster } from "../cluster.ts";
import { given, type Input, text, texts } from "../command.ts";
import type { Io } from "../io.ts";
import { apply, applyKinds, remove, titleOf } from "./apply.ts";
import { judge, refusal } from "./checks.ts";
import { documents } from "./documents.ts";
import { definitions, type InstallOptions, namespaceOf, program } from "./manifests.ts";
import { controllerPermissions } from "./permissions.ts";
import { leastRights, type Rights, rightObjects } from "./rights.ts";
import { waitUntilRuns } from "./running.ts";
import { survey } from "./survey.ts";
import { type WebhookCertificate, webhookHost, webhookName } from "./webhook.ts";

/** Prints what is to be installed, or installs it. */
export async function runInstall(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const wanted = await optionsOf(input, io);
  const limitMs = durationMs(input, "timeout", "5m");
  if (!given(input, "apply")) return print(input, io, wanted);
  const { client } = await openCluster(input, io);
  const takeOver = given(input, "take-over-crds");
  try {
    if (given(input, "crds-only")) return await applyKinds(client, definitions(), { io, takeOver }, signal);
    if (!given(input, "skip-checks")) await check(client, wanted, io, signal);
    const webhook = given(input, "webhook") && (await keptCertificate(client, wanted, signal));
    const options = webhook ? { ...wanted, webhook } : wanted;
    if (!given(input, "no-crds")) await applyKinds(client, definitions(), { io, takeOver }, signal);
    await applyProgram(client, options, io, signal);
    if (given(input, "no-wait")) return;
    io.err("waiting until it runs\n");
    const { namespace, agent = true } = options;
    const said = await waitUntilRuns(client, { namespace, agent, limitMs, clock: systemClock }, signal);
    io.err(`${said.join("\n")}\nHeadway runs in the namespace "${namespace}"\n`);
  } finally {
    client.close();
  }
}

function print(input: Input, io: Io, wanted: InstallOptions): void {
  const kinds = given(input, "no-crds") ? [] : definitions();
  if (given(input, "crds-only")) return io.out(documents(kinds));
  const options = given(input, "webhook") ? { ...wanted, webhook: certificateFor(wanted) } : wanted;
  io.out(documents([...kinds, namespaceOf(options), ...program(options)]));
}

/** Looks at the cluster first: what cannot work is told before anything is made. */
async function check(client: Client, options: InstallOptions, io: Io, signal: AbortSignal): Promise<void> {
  const { namespace, agent = true, controllers = [] } = options;
  const findings = judge(await survey(client, namespace, signal), { namespace, agent, controllers });
  for (const { level, words } of findings) io.err(`${level === "ok" ? "found" : level}: ${words}\n`);
  const refused = refusal(findings);
  if (refused) throw refused;
}

async function applyProgram(
  client: Client,
  options: InstallOptions,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  const objects = program(options);
  for (const one of [namespaceOf(options), ...objects]) await apply(client, one, io, signal);
  // Rights that an earlier installation was given and this one was not must not stay.
  const kept = new Set(objects.map(titleOf));
  const possible = rightObjects(options.namespace, [], allRights(options));
  for (const one of possible) if (!kept.has(titleOf(one))) await remove(client, one, io, signal);
}

/** The certificate of an earlier installation, or a new one. */
async function keptCertificate(
  client: Client,
  options: InstallOptions,
  signal: AbortSignal,
): Promise<WebhookCertificate> {
  const { namespace } = options;
  try {
    const { data = {} } = await client.get<KubeObject & { data?: Readonly<Record<string, string>> }>(
      builtIn.secrets,
      webhookName,
      { namespace },
      signal,
    );
    const [cert, key] = [data["tls.crt"], data["tls.key"]];
    if (cert && key) return { cert, key };
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return certificateFor(options);
}

function certificateFor({ namespace }: InstallOptions): WebhookCertificate {
  const made = selfSigned(webhookName, systemClock.now(), [webhookHost(namespace)]);
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  return { cert: base64(made.cert), key: base64(made.key) };
}

/** Takes away what `install --apply` made; what people own stays unless they say so. */
export async function runUninstall(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const { client, namespace } = await openCluster(input, io);
  const options = { namespace, image: "", webhook: { cert: "", key: "" }, rights: allRights({}) };
  const doomed = [
    ...program(options).toReversed(),
    ...(given(input, "crds") ? definitions().toReversed() : []),
    ...(given(input, "delete-namespace") ? [namespaceOf(options)] : []),
  ];
  try {
    for (const one of doomed) await remove(client, one, io, signal);
    if (!given(input, "crds"))
      io.err("the kinds and their objects stay; --crds deletes them, backups included\n");
  } finally {
    client.close();
  }
}

async function optionsOf(input: Input, io: Io): Promise<InstallOptions> {
  const about = await readPackage();
  const controllers = texts(input, "controllers");
  const odd = controllers.find((name) => !(name in controllerPermissions));
  if (odd !== undefined) {
    const known = Object.keys(controllerPermissions).join(", ");
    throw new AppError("USAGE", `there is no controller "${odd}"; there are ${known}`, { retry: false });
  }
  return {
    namespace: text(input, "namespace") ?? io.env["VELERO_NAMESPACE"] ?? "velero",
    image: text(input, "image") ?? `headway:${about.version}`,
    controllers,
    agent: !given(input, "no-agent"),
    ...optional("imagePullPolicy", text(input, "image-pull-policy")),
    ...optional("hostPods", text(input, "host-pods")),
    rights: rightsOf(input),
  };
}

function durationMs(input: Input, flag: string, otherwise: string): number {
  const said = text(input, flag) ?? otherwise;
  const ms = parseGoDurationMs(said);
  if (ms !== undefined && ms > 0) return ms;
  throw new AppError("USAGE", `--${flag} takes a duration such as ${otherwise}, not "${said}"`, {
    retry: false,
  });
}

/** The parser has checked the choices. */
function rightsOf(input: Input): Rights {
  const accounts = texts(input, "restore-account");
  const odd = accounts.find((name) => !/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(name));
  if (odd !== undefined) {
    throw new AppError("USAGE", `--restore-account takes the name of a service account, not "${odd}"`, {
      retry: false,
    });
  }
  const { restore, restoreAccounts, action, migration } = leastRights;
  return {
    restore: (text(input, "restore-rights") as Rights["restore"] | undefined) ?? restore,
    restoreAccounts: accounts.length > 0 ? accounts : restoreAccounts,
    action: (text(input, "action-rights") as Rights["action"] | undefined) ?? action,
    migration: (text(input, "migration-rights") as Rights["migration"] | undefined) ?? migration,
  };
}

/** Everything that any choice could have made. */
function allRights({ rights }: Pick<InstallOptions, "rights">): Rights {
  return { ...leastRights, ...rights, restore: "cluster", action: "cluster", migration: "cluster" };
}

function optional<K extends string>(name: K, value: string | undefined): Partial<Record<K, string>> {
  return value === undefined ? {} : ({ [name]: value } as Partial<Record<K, string>>);
}
