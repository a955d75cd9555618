/** The condition of a type, or undefined. */
export function findCondition<C extends { readonly type: string }>(
  list: readonly C[] | null | undefined,
  type: string,
): C | undefined {
  return list?.find((condition) => condition.type === type);
}

/** Whether the condition of a type is there and true. */
export function isTrue(
  list: readonly { readonly type: string; readonly status: string }[] | null | undefined,
  type: string,
): boolean {
  return findCondition(list, type)?.status === "True";
}

/** The list without the condition of a type. */
export function removeCondition<C extends { readonly type: string }>(
  list: readonly C[] | null | undefined,
  type: string,
): readonly C[] {
  return (list ?? []).filter((condition) => condition.type !== type);
}

/** Replaces or appends; the old time is kept when `same` says so. */
export function put<C extends { readonly type: string; readonly lastTransitionTime?: string | null }>(
  list: readonly C[] | null | undefined,
  condition: Omit<C, "lastTransitionTime">,
  now: string,
  same: (old: C) => boolean,
): readonly C[] {
  const { type } = condition as Pick<C, "type">;
  const old = findCondition(list, type);
  const kept = old && same(old) ? old.lastTransitionTime : undefined;
  // The spread of a generic Omit loses what it holds: this is C again.
  const next = { ...condition, lastTransitionTime: kept ?? now } as unknown as C;
  return old ? (list ?? []).map((each) => (each === old ? next : each)) : [...(list ?? []), next];
}
