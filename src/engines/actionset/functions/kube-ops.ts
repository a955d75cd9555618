import { parseAllDocuments } from "yaml";
import type { KubeObject } from "../../../api/index.ts";
import { AppError } from "../../../errors.ts";
import { isAlreadyExists, isNotFound, patiently, type Resource } from "../../../kube/index.ts";
import { badArgument, isRecord, plainText, recordOf } from "../args.ts";
import { pause } from "../pod/job.ts";
import { resourceOfReference } from "../resolve.ts";
import type { Output, Reference } from "../status.ts";
import type { Call, Func } from "./call.ts";

/** KubeOps: creates, patches or deletes objects of any kind. */
export const kubeOps: Func = async (call) => {
  const operation = call.args.need("operation");
  call.progress.update({ step: operation });
  switch (operation) {
    case "create":
      return create(call);
    case "delete":
      return remove(call);
    case "patch":
      return patch(call);
    default:
      throw badArgument(`operation "${operation}" is none of create, delete, patch`);
  }
};

async function create(call: Call): Promise<Output> {
  const { args, deps, signal, before } = call;
  const objects = documents(args.need("spec"));
  let output: Output = {};
  for (const object of objects) {
    const resource = await endpointOf(call, object);
    const namespace = resource.namespaced
      ? object.metadata.namespace || args.text("namespace", "default")
      : undefined;
    const make = () =>
      deps.client.create(
        resource,
        object,
        { ...(namespace && { namespace }), fieldManager: "kanister-create" },
        signal,
      );
    await patiently(make, deps.clock, signal).catch((error: unknown) => {
      // Made by the process before this one.
      if (!before || !isAlreadyExists(error)) throw error;
    });
    output = referenceOf(resource, object.metadata.name, namespace);
  }
  return output;
}

async function remove(call: Call): Promise<Output> {
  const { deps, signal, progress } = call;
  const { resource, name, namespace } = target(call);
  const gone = (error: unknown) => {
    if (!isNotFound(error)) throw error;
    return undefined;
  };
  const found = await patiently(
    () => deps.client.get(resource, name, { namespace }, signal),
    deps.clock,
    signal,
  ).catch((error: unknown) => {
    // It may be gone by our own hand only after a restart.
    if (!call.before) throw error;
    return gone(error);
  });
  if (!found) return { ...referenceOf(resource, name, namespace), ...call.before?.output };
  const { uid } = found.metadata;
  const output = referenceOf({ ...resource, kind: found.kind || resource.kind }, name, namespace);
  // What it was can be read nowhere once it is gone.
  await call.keep(output);
  await patiently(
    () => deps.client.delete(resource, name, { namespace, uid }, signal),
    deps.clock,
    signal,
  ).catch(gone);
  progress.prepared("waiting until it is gone");
  for (;;) {
    const still = await patiently(
      () => deps.client.get(resource, name, { namespace }, signal),
      deps.clock,
      signal,
    ).catch(gone);
    if (still?.metadata.uid !== uid) return output;
    await pause(call);
  }
}

async function patch(call: Call): Promise<Output> {
  const { args, deps, signal } = call;
  const [body] = documents(args.need("spec"), true);
  const { resource, name, namespace } = target(call);
  const send = () => deps.client.patch(resource, name, { type: "strategic", body }, { namespace }, signal);
  const { kind } = await patiently(send, deps.clock, signal);
  return referenceOf({ ...resource, kind: kind || resource.kind }, name, namespace);
}

/** The object that an argument names. */
function target({ args }: Call): { resource: Resource; name: string; namespace: string | undefined } {
  const reference = recordOf(args.record("objectReference"));
  const text = (key: string) => plainText(reference[key]);
  if (text("name") === "" || text("apiVersion") === "" || text("resource") === "") {
    throw badArgument('"objectReference" needs name, apiVersion and resource');
  }
  const namespace = text("namespace") || args.text("namespace");
  const wanted: Reference = {
    apiVersion: text("apiVersion"),
    group: text("group"),
    resource: text("resource"),
    kind: text("kind"),
    namespace,
  };
  return { resource: resourceOfReference(wanted), name: text("name"), namespace: namespace || undefined };
}

function documents(text: string, isPatch = false): KubeObject[] {
  const found = parseAllDocuments(text);
  const objects = (Array.isArray(found) ? found : []).map((document) => {
    const [fault] = document.errors;
    if (fault) throw badArgument(`"spec" is no YAML: ${fault.message}`, fault);
    return document.toJS({ maxAliasCount: 100 }) as unknown;
  });
  const kept = objects.filter(isRecord);
  const odd = kept.find(
    (one) => !isPatch && (plainText(one["apiVersion"]) === "" || plainText(one["kind"]) === ""),
  );
  if (kept.length === 0 || odd) throw badArgument('"spec" holds no object with apiVersion and kind');
  return kept as unknown as KubeObject[]; // apiVersion and kind were just seen; the cluster checks the rest
}

async function endpointOf({ deps, signal }: Call, object: KubeObject): Promise<Resource> {
  const { resources } = await patiently(() => deps.client.discover(signal), deps.clock, signal);
  const found = resources.find(
    ({ group, version, kind }) =>
      kind === object.kind && (group === "" ? version : `${group}/${version}`) === object.apiVersion,
  );
  if (found) return found;
  throw new AppError("ACTION_OBJECT", `the cluster does not serve ${object.apiVersion} ${object.kind}`, {
    retry: false,
  });
}

function referenceOf(resource: Resource, name: string, namespace: string | undefined): Output {
  const { group, version, plural, kind } = resource;
  return { apiVersion: version, group, resource: plural, kind, name, namespace: namespace ?? "" };
}
