/**
 * The part of the GraphQL extension service that is guarded. An extension is an object, or a function that returns one. Its
 * `leftOut` is called with the error if no schema can be built with it.
 */
export interface ExtensionService {
  readonly use: (extension: object) => unknown;
}

/**
 * Runs code. Functions that it passes to `use` of the GraphQL extension service leave the schema as it is if they throw.
 * `report` is called with each error.
 */
export async function guardExtensions(
  service: ExtensionService,
  report: (error: unknown) => void,
  run: () => Promise<unknown>,
): Promise<void> {
  const { use } = service;
  Object.assign(service, { use: (extension: object) => use(guarded(extension, report)) });
  try {
    await run();
  } finally {
    Object.assign(service, { use });
  }
}

function guarded(extension: object, leftOut: (error: unknown) => void): object {
  const run = (input: unknown): unknown => {
    try {
      return typeof extension === 'function' ? (extension as (given: unknown) => unknown)(input) : extension;
    } catch (error) {
      leftOut(error);
      return {};
    }
  };
  return Object.assign(run, { leftOut });
}
