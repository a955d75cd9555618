import { createHash } from "node:crypto";

/** Content by its digest, as registries and layouts refer to it. */
export interface Blob {
  readonly mediaType: string;
  readonly content: Buffer;
}
interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** `sha256:…` of some bytes. */
export function digestOf(content: Buffer): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

/** An OCI image layout: files by path. The same blobs give the same files, byte for byte. */
export function layout(
  config: Blob,
  layers: readonly Blob[],
  tag: string,
  annotations: Readonly<Record<string, string>> = {},
): { readonly files: ReadonlyMap<string, Buffer>; readonly digest: string } {
  const manifest = {
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    content: json({
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      config: descriptor(config),
      layers: layers.map((layer) => descriptor(layer)),
      annotations,
    }),
  };
  const named = { ...descriptor(manifest), annotations: { "org.opencontainers.image.ref.name": tag } };
  const blobs = [config, ...layers, manifest].map(({ content }) => [pathOf(content), content] as const);
  const files = new Map<string, Buffer>([
    ["oci-layout", json({ imageLayoutVersion: "1.0.0" })],
    [
      "index.json",
      json({ schemaVersion: 2, mediaType: "application/vnd.oci.image.index.v1+json", manifests: [named] }),
    ],
    ...blobs,
  ]);
  return { files, digest: named.digest };
}

/** The configuration of an image of ours: who it runs as and what it starts. `diffs` are digests of the layers before they were compressed. */
export function imageConfig(
  { architecture, version, created }: { architecture: string; version: string; created: string },
  diffs: readonly string[],
): Blob {
  return {
    mediaType: "application/vnd.oci.image.config.v1+json",
    content: json({
      architecture,
      os: "linux",
      created,
      config: {
        User: "65532:65532",
        Env: [
          "PATH=/usr/local/bin:/usr/bin:/bin",
          "NODE_ENV=production",
          "NODE_DISABLE_COMPILE_CACHE=1",
          "MALLOC_ARENA_MAX=1",
          "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt",
        ],
        Entrypoint: ["/usr/local/bin/node", "/opt/headway/bin/headway.js"],
        WorkingDir: "/opt/headway",
        Labels: { "org.opencontainers.image.title": "headway", "org.opencontainers.image.version": version },
      },
      rootfs: { type: "layers", diff_ids: diffs },
      history: diffs.map(() => ({ created, created_by: "scripts/release" })),
    }),
  };
}

function descriptor({ mediaType, content }: Blob): Descriptor {
  return { mediaType, digest: digestOf(content), size: content.length };
}

function pathOf(content: Buffer): string {
  return `blobs/${digestOf(content).replace(":", "/")}`;
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
