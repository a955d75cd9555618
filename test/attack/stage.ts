import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { selfSigned } from "../../packages/wire/certificate.ts";
import { type BackupStorageLocation, type KubeObject, kinds } from "../../src/api/index.ts";
import { resources } from "../../src/engines/podvolume/index.ts";
import { builtIn, Client, findAccess, isNotFound, type Resource, resourceOf } from "../../src/kube/index.ts";
import { openStore, type Store } from "../../src/store/index.ts";
import { accountReady } from "../harness/account.ts";
import { installDefinitions } from "../harness/definitions.ts";
import { eventually } from "../harness/eventually.ts";
import { freePort } from "../harness/free-port.ts";
import { clusterRoleBindings, clusterRoles, grantedAccount } from "../harness/granted-account.ts";
import { agentShows, deleteNamespace } from "../harness/node-world.ts";
import { type S3Server, startS3 } from "../harness/s3.ts";
import { bucketLocation } from "../harness/volume-copies.ts";
import { type Lone, openLone } from "./lone.ts";
import { Program } from "./program.ts";
import { makeVictim, type Victim } from "./victim.ts";

/** What the attack needs to know of the cluster. */
export interface StageOptions {
  readonly kubeconfig: string;
  /** The kubelet's folder of pods on this machine. */
  readonly hostPods: string;
  /** An image with a shell that the node has. */
  readonly image: string;
}

/** A page, and what opens it. */
export interface Page {
  readonly url: string;
  readonly token: string;
}

/** A real cluster with operator, agent and server of Headway as processes, and a bucket that somebody else can write to. */
export class Stage {
  readonly client: Client;
  readonly options: StageOptions;
  readonly namespace: string;
  readonly node: string;
  readonly s3: S3Server;
  /** The bucket of location "default", as whoever can write to it has it. */
  readonly bucket: Store;
  readonly folder: string;
  readonly ports: { readonly downloads: number; readonly webhook: number };
  victim: Victim = { namespace: "", uid: "", folder: "" };
  lone: Lone | undefined;
  operator: Program | undefined;
  agent: Program | undefined;
  serve: Program | undefined;
  pages: { readonly operator: Page; readonly serve: Page } | undefined;
  readonly #spaces: string[] = [];
  readonly #roles: string[] = [];

  private constructor(
    given: Pick<Stage, "client" | "options" | "node" | "s3" | "bucket" | "folder" | "namespace" | "ports">,
  ) {
    this.client = given.client;
    this.options = given.options;
    this.namespace = given.namespace;
    this.node = given.node;
    this.s3 = given.s3;
    this.bucket = given.bucket;
    this.folder = given.folder;
    this.ports = given.ports;
  }

  static async open(options: StageOptions): Promise<Stage> {
    const client = new Client(await findAccess({ kubeconfig: options.kubeconfig }));
    const [first] = await client.list<KubeObject>(builtIn.nodes);
    const s3 = await startS3();
    const namespace = `attack-${crypto.randomUUID().slice(0, 8)}`;
    const bucket = await openStore({
      provider: "aws",
      bucket: s3.bucket,
      prefix: namespace,
      config: { region: s3.region, s3Url: s3.endpoint, s3ForcePathStyle: "true" },
      credentials: `[default]\naws_access_key_id=${s3.accessKeyId}\naws_secret_access_key=${s3.secretAccessKey}\n`,
    });
    const folder = mkdtempSync(join(tmpdir(), "attack-"));
    const ports = { downloads: await freePort(), webhook: await freePort() };
    const node = first?.metadata.name ?? "";
    const stage = new Stage({ client, options, namespace, node, s3, bucket, folder, ports });
    await stage.#fill();
    return stage;
  }

  async #fill(): Promise<void> {
    const { client, namespace, folder } = this;
    await installDefinitions(client);
    await this.space("");
    await bucketLocation(this, "default", this.s3, namespace);
    await this.patch(resources.locations, "default", { spec: { default: true } });
    await this.syncEvery("1s");
    const { cert, key } = selfSigned("webhook", Date.now());
    mkdirSync(join(folder, "certs"));
    writeFileSync(join(folder, "certs/tls.crt"), cert);
    writeFileSync(join(folder, "certs/tls.key"), key);
    this.victim = await makeVictim(this);
    this.startAgent();
    this.serve = new Program("server", this.#args(["serve", "--listen", "127.0.0.1:0"]));
    await this.startOperator();
    this.lone = await openLone(this);
    await agentShows(this);
  }

  #args(args: readonly string[], namespace = this.namespace): string[] {
    return [...args, "--kubeconfig", this.options.kubeconfig, "--namespace", namespace];
  }

  /** Starts the operator, with all its controllers and every listener; the pages are known afterwards. */
  async startOperator(): Promise<void> {
    const { folder, ports, options } = this;
    const temp = join(folder, "temp");
    mkdirSync(temp, { recursive: true });
    const doors = ["--listen", "127.0.0.1:0", "--download-address", `127.0.0.1:${ports.downloads}`];
    const webhook = [
      "--webhook-certs",
      join(folder, "certs"),
      "--webhook-listen",
      `127.0.0.1:${ports.webhook}`,
    ];
    const images = ["--restore-helper-image", options.image, "--stage-image", options.image];
    const args = ["operator", "--no-leader-election", "--temp-dir", temp, ...doors, ...webhook, ...images];
    this.operator = new Program("operator", this.#args(args), {
      KANISTER_TOOLS: options.image,
      HEADWAY_IMAGE_PULL_POLICY: "Never",
    });
    const page = {
      token: this.pages?.operator.token ?? (await this.account("attacked", admin)),
      url: await this.operator.said(/operations are served at (http:[^"]+)"/),
    };
    await this.operator.said(/reviewed on port (\d+)/);
    const { serve } = this;
    if (!serve) throw new Error("there is no server");
    this.pages = {
      operator: page,
      serve: { url: await serve.said(/^(http:.*)\/#token=/m), token: await serve.said(/#token=(\S+)/) },
    };
  }

  /** Starts the agent of the node. */
  startAgent(): void {
    this.agent = this.agentOf(this.namespace);
  }

  /** An agent that looks after the copies of a namespace. */
  agentOf(namespace: string): Program {
    const { hostPods } = this.options;
    const where = [
      "--node",
      this.node,
      "--host-pods",
      hostPods,
      "--state-dir",
      join(this.folder, `state-${namespace}`),
    ];
    return new Program("agent", this.#args(["agent", ...where], namespace));
  }

  /** Runs a command of the CLI to its end. */
  async headway(
    args: readonly string[],
    namespace = this.namespace,
  ): Promise<{ code: number | null; said: string }> {
    const { run } = new Program("command", this.#args(args, namespace));
    return { code: await run.ended, said: `${run.lines().join("\n")}${run.said()}` };
  }

  /** What is wrong with the programs now; each that ended is started again. */
  async faults(): Promise<string | undefined> {
    const found = [this.operator, this.agent, this.serve, this.lone?.agent].map((one) => one?.fault());
    if (found[0]) await this.operator?.stop().then(() => this.startOperator());
    if (found[1]) await this.agent?.stop().then(() => this.startAgent());
    return found.find(Boolean);
  }

  /** A namespace of this attack alone, deleted with it. */
  async space(name: string): Promise<string> {
    const whole = name === "" ? this.namespace : `${this.namespace}-${name}`;
    await this.client.create(builtIn.namespaces, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: whole },
    });
    this.#spaces.push(whole);
    await accountReady(this.client, whole);
    return whole;
  }

  /** The token of an account that may do this in the whole cluster. */
  async account(name: string, rules: Parameters<typeof grantedAccount>[2]): Promise<string> {
    const made = await grantedAccount(this, name, rules);
    this.#roles.push(made.role);
    return made.token;
  }

  /** Creates an object in the server's namespace. */
  create<T extends KubeObject>(
    kind: keyof typeof kinds,
    name: string,
    rest: object,
    metadata: object = {},
  ): Promise<T> {
    const { group, version } = resourceOf(kinds[kind]);
    return this.client.create<T>(resourceOf(kinds[kind]), {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { name, namespace: this.namespace, ...metadata },
      ...rest,
    });
  }

  get<T extends KubeObject>(kind: keyof typeof kinds, name: string): Promise<T> {
    return this.client.get<T>(resourceOf(kinds[kind]), name, { namespace: this.namespace });
  }

  async patch(resource: Resource, name: string, body: object): Promise<void> {
    await this.client.patch(resource, name, { type: "merge", body }, { namespace: this.namespace });
  }

  /** Puts files into the bucket, as somebody does who may write to it. */
  async plant(files: readonly (readonly [key: string, bytes: Buffer])[]): Promise<void> {
    for (const [key, bytes] of files) await this.bucket.put(key, bytes);
  }

  /** How often the default location is searched. */
  syncEvery(period: string): Promise<void> {
    return this.patch(resources.locations, "default", {
      spec: { backupSyncPeriod: period, validationFrequency: "1h" },
    });
  }

  /** Waits for two searches of the default location that began after this call. */
  async searched(): Promise<void> {
    for (let i = 0; i < 3; i += 1) {
      const before = (await this.get<BackupStorageLocation>("BackupStorageLocation", "default")).status
        ?.lastSyncedTime;
      await eventually(
        () => this.get<BackupStorageLocation>("BackupStorageLocation", "default"),
        ({ status }) => status?.lastSyncedTime !== before,
        90_000,
      );
    }
  }

  /** Asks a page; the answer's status and text. */
  async ask({ url, token }: Page, path: string): Promise<{ status: number; text: string }> {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}${path}`, { headers, signal: AbortSignal.timeout(60_000) });
    return { status: answer.status, text: await answer.text() };
  }

  async close(): Promise<void> {
    for (const one of [this.operator, this.agent, this.serve, this.lone?.agent]) await one?.stop();
    const ignore = (error: unknown) => {
      if (!isNotFound(error)) throw error;
    };
    for (const role of this.#roles) {
      await this.client.delete(clusterRoleBindings, role).catch(ignore);
      await this.client.delete(clusterRoles, role).catch(ignore);
    }
    for (const space of this.#spaces) await deleteNamespace(this.client, space);
    for (const space of this.#spaces) await this.#gone(space);
    for await (const entry of this.bucket.list(""))
      if ("object" in entry) await this.bucket.delete(entry.object.key);
    this.client.close();
    await this.s3.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #gone(space: string): Promise<void> {
    for (let left = 60; left > 0; left -= 1) {
      const found = await this.client.get(builtIn.namespaces, space).then(
        () => true,
        () => false,
      );
      if (!found) return;
      await pause(1_000);
    }
    console.log(`namespace ${space} is still being deleted`);
  }
}

const admin = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];
