import { isRecord, type Json, recordOf } from "../args.ts";
import { manifest, overridden } from "../pod/pod-spec.ts";
import type { Call, Func } from "./call.ts";
import { complete, runPod } from "./kube-task.ts";

/** MultiContainerRun: two containers that share a folder; the outputs are those of `output`. */
export const multiContainerRun: Func = (call) => {
  const namespace = call.args.text("namespace", call.deps.namespace);
  return runPod(call, {
    namespace,
    container: "output",
    waitsForAll: true,
    manifest: () => podOf(call, namespace),
  });
};

function podOf(call: Call, namespace: string): Json {
  const { args, deps } = call;
  const mountPath = args.text("sharedVolumeDir", "/tmp/");
  const [medium, sizeLimit] = [args.text("sharedVolumeMedium"), args.text("sharedVolumeSizeLimit")];
  const container = (name: string) => ({
    name,
    image: args.need(`${name}Image`),
    command: args.texts(`${name}Command`),
    imagePullPolicy: deps.options.podDefaults.imagePullPolicy,
    volumeMounts: [{ name: "shared", mountPath }],
  });
  const withInit = args.text("initImage") !== "";
  const wanted = complete(call, { prefix: "kanister-mcr-", namespace, image: "", command: [] });
  const account = deps.options.podDefaults.secure ? "default" : wanted.serviceAccount;
  const spec = {
    restartPolicy: "Never",
    ...(account && { serviceAccountName: account }),
    ...(deps.options.podDefaults.secure && { automountServiceAccountToken: false }),
    containers: [container("output"), container("background")],
    ...(withInit && { initContainers: [container("init")] }),
    volumes: [{ name: "shared", emptyDir: { ...(medium && { medium }), ...(sizeLimit && { sizeLimit }) } }],
  };
  const annotations = { "kubectl.kubernetes.io/default-container": "output", ...wanted.annotations };
  const overrides = (wanted.overrides ?? []).map((patch) => expanded(patch, withInit));
  return manifest({ ...wanted, annotations }, overridden(spec, overrides, "output"));
}

/** What is said of "container", the name in all other functions, is meant for each container that is not named itself. */
export function expanded(patch: Json, withInit: boolean): Json {
  const listOf = (key: string) =>
    Array.isArray(patch[key]) ? (patch[key] as unknown[]).filter(isRecord) : [];
  const [containers, inits] = [listOf("containers"), listOf("initContainers")];
  const general = containers.find(({ name }) => name === "container");
  if (!general) return patch;
  const named = (list: readonly Json[], name: string) => list.some((one) => one["name"] === name);
  const fresh = (list: readonly Json[], ...names: readonly string[]) =>
    names.filter((name) => !named(list, name)).map((name) => ({ ...recordOf(general), name }));
  return {
    ...patch,
    containers: [
      ...containers.filter((one) => one !== general),
      ...fresh(containers, "output", "background"),
    ],
    ...(withInit && { initContainers: [...inits, ...fresh(inits, "init")] }),
  };
}
