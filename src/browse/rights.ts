import type { KubeObject } from "../api/index.ts";
import { AppError } from "../errors.ts";
import { builtIn, type Client } from "../kube/index.ts";

/** Something in the cluster that a person may be allowed to see. */
interface Wish {
  readonly verb: "get" | "create";
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string | undefined;
}

type Review = KubeObject & { readonly status?: { readonly allowed?: boolean } };

const reviews = builtIn.selfSubjectAccessReviews;

/**
 * What whoever asks may see of a backup: what the cluster would let them read if it were still there. The API server is asked, as
 * them: first for everything, then for the kind, then for the kind in the namespace; so that few questions answer many.
 * Answers live as long as this object, which is one command or one request; bounded by the kinds times the namespaces of a backup.
 */
export class Rights {
  readonly #client: Pick<Client, "create">;
  readonly #signal: AbortSignal;
  readonly #answers = new Map<string, Promise<boolean>>();

  constructor(client: Pick<Client, "create">, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  /** Whether an object of this kind may be read there. */
  async mayRead(object: {
    readonly group: string;
    readonly resource: string;
    readonly namespace?: string | undefined;
  }): Promise<boolean> {
    if (await this.#ask({ verb: "get", group: "*", resource: "*" })) return true;
    const { group, resource, namespace } = object;
    if (await this.#ask({ verb: "get", group, resource })) return true;
    return namespace !== undefined && this.#ask({ verb: "get", group, resource, namespace });
  }

  /** Fails unless the files of the namespace's volumes may be read: that takes what reading them in a running pod takes. */
  async demandFiles(namespace: string): Promise<void> {
    const wish = { verb: "create", group: "", resource: "pods", subresource: "exec" } as const;
    if ((await this.#ask(wish)) || (await this.#ask({ ...wish, namespace }))) return;
    throw new AppError(
      "BROWSE_DENIED",
      `the files of volumes in namespace "${namespace}" are for those who may read them in its pods: the right to create pods/exec there is missing`,
      { retry: false },
    );
  }

  #ask(wish: Wish): Promise<boolean> {
    const key = JSON.stringify(wish);
    const known = this.#answers.get(key);
    if (known) return known;
    const answer = this.#client
      .create<Review>(
        reviews,
        {
          apiVersion: `${reviews.group}/${reviews.version}`,
          kind: reviews.kind,
          spec: { resourceAttributes: wish },
        } as object as KubeObject, // a review has no name
        {},
        this.#signal,
      )
      .then(({ status }) => status?.allowed === true);
    this.#answers.set(key, answer);
    return answer;
  }
}
