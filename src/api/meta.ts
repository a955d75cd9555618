/** What every object of Kubernetes says about its own type. */
export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A link from an object to the one that owns it. */
export interface OwnerReference extends TypeMeta {
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Name, place and bookkeeping of a stored object. */
export interface ObjectMeta {
  readonly name: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  /** Opaque text: never parsed, never compared except for being equal. */
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly unknown[];
}

/** Any object of Kubernetes. */
export interface KubeObject extends TypeMeta {
  readonly metadata: ObjectMeta;
}

/** An object that is not stored yet: the server may still have to make its name from `generateName`. */
export type NewObject<T extends KubeObject> = Omit<T, "metadata"> & {
  readonly metadata: Omit<ObjectMeta, "name"> & { readonly name?: string };
};

/** Where a list stands: its version and, when paged, how to go on. */
export interface ListMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** A list of objects as the API server answers it. */
export interface KubeList<T> extends TypeMeta {
  readonly metadata: ListMeta;
  readonly items: readonly T[];
}

/** One cause inside a Status. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** What the API server answers in place of an object: mostly an error. */
export interface Status extends TypeMeta {
  readonly apiVersion: "v1";
  readonly kind: "Status";
  readonly metadata?: ListMeta;
  readonly status?: "Success" | "Failure";
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly causes?: readonly StatusCause[];
    readonly retryAfterSeconds?: number;
  };
}

/** A standard condition (metav1.Condition). */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string | null;
  readonly observedGeneration?: number;
}
