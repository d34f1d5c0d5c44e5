import type { ExtensionService, UsedExtension } from '../graphql/extension/extension.js';

/**
 * Runs code. Functions that it passes to `use` of the GraphQL extension service leave the schema as it is if they throw.
 * `report` is called once for each message.
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

function guarded(extension: UsedExtension, report: (error: unknown) => void): UsedExtension {
  if (typeof extension !== 'function') return extension;
  const reported = new Set<string>();
  return (input) => {
    try {
      return extension(input);
    } catch (error) {
      if (!reported.has(String(error))) report(error);
      reported.add(String(error));
      return {};
    }
  };
}
