import type { KubeObject } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { type Client, isNotFound, type Resource } from "../../kube/index.ts";

/** One object; that it is not there is told in the words of the action. */
export async function read<T extends KubeObject>(
  client: Pick<Client, "get">,
  resource: Resource,
  { name, namespace }: { readonly name: string; readonly namespace?: string },
  signal: AbortSignal,
): Promise<T> {
  try {
    return await client.get<T>(resource, name, { namespace }, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const where = namespace ? `${namespace}/${name}` : name;
    throw new AppError("ACTION_OBJECT", `${resource.kind} "${where}" does not exist`, {
      cause: error,
      retry: false,
    });
  }
}
