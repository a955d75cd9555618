import { expect, test } from "vitest";
import { digestOf, imageConfig, layout } from "./oci.ts";

const layer = { mediaType: "application/vnd.oci.image.layer.v1.tar+gzip", content: Buffer.from("layer") };
const about = { architecture: "amd64", version: "1.0.0", created: "1970-01-01T00:00:00Z" };
const config = imageConfig(about, [digestOf(Buffer.from("tar"))]);
const read = (files: ReadonlyMap<string, Buffer>, path: string): Record<string, unknown> =>
  JSON.parse((files.get(path) ?? "").toString()) as Record<string, unknown>;

test("layout() leads from the index to every blob, each under its own digest", () => {
  const { files, digest } = layout(config, [layer], "1.0.0");
  for (const [path, content] of files) {
    if (path.startsWith("blobs/")) expect(path).toBe(`blobs/${digestOf(content).replace(":", "/")}`);
  }
  const index = read(files, "index.json") as { manifests: { digest: string; annotations: object }[] };
  expect(index.manifests).toMatchObject([
    { digest, annotations: { "org.opencontainers.image.ref.name": "1.0.0" } },
  ]);
  const manifest = read(files, `blobs/${digest.replace(":", "/")}`) as {
    config: { digest: string };
    layers: { digest: string; size: number }[];
  };
  for (const { digest: of } of [manifest.config, ...manifest.layers]) {
    expect(files.has(`blobs/${of.replace(":", "/")}`)).toBe(true);
  }
  expect(manifest.layers[0]?.size).toBe(layer.content.length);
});

test("layout() gives the same digest for the same input, and another for another", () => {
  expect(layout(config, [layer], "a").digest).toBe(layout(config, [layer], "a").digest);
  const other = { ...layer, content: Buffer.from("other") };
  expect(layout(config, [other], "a").digest).not.toBe(layout(config, [layer], "a").digest);
});

test("the image runs as nobody in particular", () => {
  const { config: run } = JSON.parse(config.content.toString()) as {
    config: { User: string; Entrypoint: string[] };
  };
  expect(run.User).toBe("65532:65532");
  expect(run.Entrypoint[0]).toBe("/usr/local/bin/node");
});
