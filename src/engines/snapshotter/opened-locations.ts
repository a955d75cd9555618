import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KubeObject, VolumeSnapshotLocation } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { type Client, Mask, maskErrors } from "../../kube/index.ts";
import type { OpenedSnapshotter, Plugins, VolumeSnapshotter } from "../../plugins/index.ts";
import { resources } from "./resources.ts";

/** A snapshot location with its plugin ready. */
export interface OpenedLocation {
  readonly name: string;
  /** The plugin's full name. */
  readonly plugin: string;
  readonly snapshotter: VolumeSnapshotter;
}

/** What opening locations needs. */
export interface LocationDeps {
  readonly client: Pick<Client, "get">;
  readonly namespace: string;
  readonly plugins: Plugins;
  readonly tempDir: string;
}

/** The plugins of one run, one for each location, opened when first needed. Bounded by the number of locations. */
export class OpenedLocations {
  readonly #deps: LocationDeps;
  readonly #opened = new Map<string, Promise<OpenedLocation & { close(): Promise<void> }>>();

  constructor(deps: LocationDeps) {
    this.#deps = deps;
  }

  /** A location by its object; fails the same way each time when it cannot be used. */
  open(location: VolumeSnapshotLocation, signal: AbortSignal): Promise<OpenedLocation> {
    const { name } = location.metadata;
    const known = this.#opened.get(name);
    if (known) return known;
    const opening = this.#open(location, signal);
    opening.catch(() => undefined); // whoever asks hears of it
    this.#opened.set(name, opening);
    return opening;
  }

  /** Ends every plugin and removes what was written for it. */
  async close(): Promise<void> {
    const all = [...this.#opened.values()];
    this.#opened.clear();
    await Promise.all(
      all.map(async (one) => {
        const opened = await one.catch(() => undefined);
        await opened?.close();
      }),
    );
  }

  async #open(location: VolumeSnapshotLocation, signal: AbortSignal) {
    const { name } = location.metadata;
    const provider = location.spec?.provider ?? "";
    const mask = new Mask();
    const folder = await this.#credentials(location, mask, signal);
    const remove = async () => {
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    };
    const config = {
      ...location.spec?.config,
      ...(folder !== undefined && { credentialsFile: join(folder, "credentials") }),
    };
    let opened: OpenedSnapshotter;
    try {
      opened = await this.#deps.plugins.openSnapshotter(provider, config, signal);
    } catch (error) {
      await remove();
      throw mask.error(error);
    }
    const close = async () => {
      await opened.close();
      await remove();
    };
    return { name, plugin: opened.name, snapshotter: maskErrors(opened.plugin, mask), close };
  }

  /** The Secret that a location names, as a file that only we can read: plugins want a file. */
  async #credentials(
    location: VolumeSnapshotLocation,
    mask: Mask,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { credential } = location.spec ?? {};
    if (!credential?.name) return undefined;
    const { client, namespace, tempDir } = this.#deps;
    const secret = (await client.get(
      resources.secrets,
      credential.name,
      { namespace },
      signal,
    )) as KubeObject & {
      readonly data?: Readonly<Record<string, string>>;
    }; // a Secret by the resource that was asked
    const content = secret.data?.[credential.key ?? ""];
    if (content === undefined) {
      const where = `Secret "${credential.name}" has no key "${credential.key}"`;
      throw new AppError("PLUGIN_FAILED", `snapshot location "${location.metadata.name}": ${where}`);
    }
    mask.learn(Buffer.from(content, "base64").toString());
    const folder = await mkdtemp(join(tempDir, "headway-snapshotter-"));
    await writeFile(join(folder, "credentials"), Buffer.from(content, "base64"), { mode: 0o600 });
    return folder;
  }
}
