import type { Extension, ExtensionInput, ExtensionService, UsedExtension } from '../../graphql/extension/extension.js';

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
  Object.assign(service, { use: (extension: UsedExtension) => use(guarded(extension, report)) });
  try {
    await run();
  } finally {
    Object.assign(service, { use });
  }
}

function guarded(extension: UsedExtension, leftOut: (error: unknown) => void): UsedExtension {
  const run = (input: ExtensionInput): Extension => {
    try {
      return typeof extension === 'function' ? extension(input) : extension;
    } catch (error) {
      leftOut(error);
      return {};
    }
  };
  return Object.assign(run, { leftOut });
}
