import type { KubeObject } from "../../api/index.ts";

interface Deployment extends KubeObject {
  readonly spec?: {
    readonly template?: {
      readonly spec?: {
        readonly initContainers?: readonly { readonly name: string; readonly image?: string }[];
        readonly containers?: readonly {
          readonly name: string;
          readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
        }[];
      };
    };
  };
}

/** What to change in a Deployment so that an image's plugins come into /plugins; undefined when it has the image. */
export function withPluginImage(
  found: KubeObject,
  container: string,
  { image, policy }: { readonly image: string; readonly policy: string },
): object | undefined {
  const { spec } = found as Deployment; // the server's own shape
  const pod = spec?.template?.spec ?? {};
  if (pod.initContainers?.some((one) => one.image === image)) return undefined;
  const main = pod.containers?.find(({ name }) => name === container) ?? pod.containers?.[0];
  const added = {
    name: containerName(image),
    image,
    imagePullPolicy: policy,
    volumeMounts: [{ name: "plugins", mountPath: "/target" }],
  };
  const containers = [
    { name: main?.name ?? container, volumeMounts: [{ name: "plugins", mountPath: "/plugins" }] },
  ];
  return {
    spec: {
      template: {
        spec: { initContainers: [added], containers, volumes: [{ name: "plugins", emptyDir: {} }] },
      },
    },
  };
}

/** What to change in a Deployment so that an image's plugins no longer come; undefined when it does not have them. */
export function withoutPluginImage(found: KubeObject, image: string): object | undefined {
  const { spec } = found as Deployment; // the server's own shape
  const all = spec?.template?.spec?.initContainers ?? [];
  // By the image, as upstream's command takes it, or by the name that it got.
  const gone = all.filter((one) => one.image === image || one.name === image);
  if (gone.length === 0) return undefined;
  const initContainers = gone.map(({ name }) => ({ $patch: "delete", name }));
  return { spec: { template: { spec: { initContainers } } } };
}

/** A name out of an image's, as upstream makes it: registry and tag left out, the rest with dashes. */
export function containerName(image: string): string {
  const path = image.replace(/@.*$/, "").replace(/:[^:/]*$/, "");
  const parts = path.split("/");
  const own = /[.:]|^localhost$/.test(parts[0] ?? "") ? parts.slice(1) : parts;
  const words = own
    .join("-")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  return words.slice(0, 63).replaceAll(/^-+|-+$/g, "") || "plugin";
}
