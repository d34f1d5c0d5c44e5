type Members = Readonly<Record<string, unknown>>;

const nothing = (): Promise<void> => Promise.resolve();

const register = { register: nothing, registerMany: nothing };

/**
 * Returns `strapi.admin`: permissions and conditions that code registers have no effect. `missing` returns the value of any other
 * member, or throws.
 */
export function absentAdmin(missing: () => unknown): unknown {
  const only = (members: Members): Members =>
    new Proxy(members, {
      get: (known, name) => (typeof name === 'symbol' || name in known || name === 'then' ? Reflect.get(known, name) : missing()),
    });
  return only({ services: only({ permission: only({ actionProvider: register, conditionProvider: register }) }) });
}
