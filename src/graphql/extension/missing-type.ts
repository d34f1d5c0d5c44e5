/** What graphql-js, Nexus and the check of resolvers say of a type that the schema does not have. */
const forms = [
  /Cannot extend type "(\w+)" because it is not defined/,
  /[Uu]nknown type "(\w+)"/,
  /Missing type (\w+)/,
  /Looks like you forgot to \w+ "?(\w+)"?/,
];

/** Returns the missing type that an error names; null if it names none, or one that looks like a misspelt name. */
export function missingTypeOf(error: unknown): string | null {
  const message = error instanceof Error ? error.message : '';
  if (/did you mean/i.test(message)) return null;
  for (const form of forms) {
    const name = form.exec(message)?.[1];
    if (name !== undefined) return name;
  }
  return null;
}
