import { randomBytes } from "node:crypto";
import {
  type ActionSet,
  type Backup,
  type BackupStorageLocation,
  type KubeObject,
  kinds,
} from "../../src/api/index.ts";
import { builtIn, resourceOf } from "../../src/kube/index.ts";
import { task, type } from "../harness/action-stage.ts";
import { eventually } from "../harness/eventually.ts";
import { commandLines } from "../harness/processes.ts";
import { type Attack, mustHold } from "./attack.ts";
import type { Stage } from "./stage.ts";

/** Everything that others can read: objects, events of both kinds, what the programs said, what the pages answer. */
async function readable(stage: Stage): Promise<Record<string, string>> {
  const { client, namespace, pages } = stage;
  if (!pages) throw new Error("there is no page");
  const list = async (resource: Parameters<typeof client.list>[0]) =>
    JSON.stringify(await client.list<KubeObject>(resource, { namespace }));
  return {
    ActionSets: await list(resourceOf(kinds.ActionSet)),
    Backups: await list(resourceOf(kinds.Backup)),
    locations: await list(resourceOf(kinds.BackupStorageLocation)),
    repositories: await list(resourceOf(kinds.BackupRepository)),
    copies: await list(resourceOf(kinds.PodVolumeBackup)),
    Operations: await list(resourceOf(kinds.Operation)),
    events: await list(type("events", "Event")),
    "newer events": await list(type("events", "Event", "events.k8s.io")),
    "log of the operator": stage.operator?.run.said() ?? "",
    "log of the agent": stage.agent?.run.said() ?? "",
    "log of the server": stage.serve?.run.said() ?? "",
    "the operator's page": (await stage.ask(pages.operator, "/api/operations")).text,
    "the server's page": (await stage.ask(pages.serve, "/api/operations")).text,
    metrics: (await stage.ask(pages.operator, "/metrics")).text,
  };
}

const failingAction: Attack = {
  kind: "secret that leaks",
  tried: "an action whose command prints a Secret's value, plainly and in base64, and fails",
  async run(stage) {
    const password = `pw-${randomBytes(9).toString("hex")}`;
    const { namespace } = stage;
    await stage.client.create(builtIn.secrets, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "told", namespace },
      stringData: { password },
    });
    const value = '{{ index .Secrets.one.Data "password" | toString }}';
    const script = [
      `echo it is ${value}`,
      `echo ${value.replace("toString", "toString | b64enc")}`,
      "echo the end of it",
      "exit 3",
    ];
    const leak = task("leak", script.join("\n"), { image: stage.options.image });
    await stage.create("Blueprint", "leaks", { actions: { run: { phases: [leak] } } });
    const object = { kind: "Namespace", name: namespace, namespace };
    const secrets = { one: { kind: "Secret", name: "told", namespace } };
    await stage.create("ActionSet", "leaks", {
      spec: { actions: [{ name: "run", blueprint: "leaks", object, secrets }] },
    });
    const { status } = await eventually(
      () => stage.get<ActionSet>("ActionSet", "leaks"),
      (one) => one.status?.state === "failed" || one.status?.state === "complete",
      120_000,
    );
    const message = status?.error?.message ?? "";
    mustHold(message.includes("the end of it"), `the command did not print: ${status?.state} ${message}`);
    await eventually(
      async () => (await readable(stage))["events"] ?? "",
      (text) => text.includes("ActionSetFailed"),
    );
    const encoded = Buffer.from(password).toString("base64");
    const places = Object.entries(await readable(stage)).filter(
      ([, text]) => text.includes(password) || text.includes(encoded),
    );
    mustHold(places.length === 0, `it stands in ${places.map(([place]) => place).join(", ")}`);
    return `it stands in none of 14 places; the status says: ${message.slice(-120)}`;
  },
};

const movedKeys: Attack = {
  kind: "secret that leaks",
  tried:
    "the keys of the store and the password of the repository, in command lines and in all that can be read during a backup",
  async run(stage) {
    const { secretAccessKey } = stage.s3;
    const name = "watched";
    const seen = new Set<string>();
    let isOver = false;
    await stage.create("Backup", name, {
      spec: {
        includedNamespaces: [stage.victim.namespace],
        defaultVolumesToFsBackup: true,
        storageLocation: "default",
      },
    });
    const watching = (async () => {
      while (!isOver) {
        for (const line of commandLines()) if (/kopia|restic/.test(line)) seen.add(line);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    const { status } = await eventually(
      () => stage.get<Backup>("Backup", name),
      (one) => /^(Completed|PartiallyFailed|Failed.*)$/.test(one.status?.phase ?? ""),
      180_000,
    ).finally(() => (isOver = true));
    await watching;
    mustHold(status?.phase === "Completed", `the backup is ${status?.phase}: ${JSON.stringify(status)}`);
    mustHold(seen.size > 0, "no mover was seen");
    const secret = await stage.client.get<KubeObject & { data?: Record<string, string> }>(
      builtIn.secrets,
      "velero-repo-credentials",
      stage,
    );
    const password = Buffer.from(secret.data?.["repository-password"] ?? "", "base64").toString();
    mustHold(password.length > 8, "there is no password");
    const values = [secretAccessKey, password].flatMap((value) => [
      value,
      Buffer.from(value).toString("base64"),
    ]);
    const all = { ...(await readable(stage)), "command lines": [...seen].join("\n") };
    const places = Object.entries(all).filter(([, text]) => values.some((value) => text.includes(value)));
    mustHold(places.length === 0, `they stand in ${places.map(([place]) => place).join(", ")}`);
    return `${seen.size} command lines of movers and ${Object.keys(all).length - 1} other places hold none of them`;
  },
};

const failingStore: Attack = {
  kind: "secret that leaks",
  tried: "a location with keys that the store refuses",
  async run(stage) {
    const wrong = randomBytes(12).toString("hex");
    const cloud = `[default]\naws_access_key_id=${stage.s3.accessKeyId}\naws_secret_access_key=${wrong}\n`;
    const { namespace, s3 } = stage;
    await stage.client.create(builtIn.secrets, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "wrong", namespace },
      stringData: { cloud },
    });
    await stage.create("BackupStorageLocation", "wrong", {
      spec: {
        provider: "aws",
        objectStorage: { bucket: s3.bucket, prefix: "wrong" },
        config: { region: s3.region, s3Url: s3.endpoint, s3ForcePathStyle: "true" },
        credential: { name: "wrong", key: "cloud" },
      },
    });
    const { status } = await eventually(
      () => stage.get<BackupStorageLocation>("BackupStorageLocation", "wrong"),
      (one) => one.status?.phase === "Unavailable",
      60_000,
    );
    const places = Object.entries(await readable(stage)).filter(([, text]) => text.includes(wrong));
    mustHold(places.length === 0, `it stands in ${places.map(([place]) => place).join(", ")}`);
    return `Unavailable: ${status?.message}`;
  },
};

/** Attacks that look for secrets where they must not be. */
export const secretAttacks: readonly Attack[] = [failingAction, movedKeys, failingStore];
