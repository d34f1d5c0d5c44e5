import { createInterface } from 'node:readline';
import { changeOf } from '../mongo/models/preview-models.js';
import type { Model } from '../schema/model.js';
import type { ModelDocument } from '../strapi/model-files.js';

interface LossOptions {
  readonly isDry: boolean;
  /** Whether models may remove attributes without a question. */
  readonly isForced: boolean;
}

/**
 * Returns the models that may not be stored because they remove attributes of stored models, with the reason. On a terminal it
 * asks for each of them first.
 */
export async function refuseLosses(
  documents: readonly ModelDocument[],
  stored: readonly ModelDocument[],
  { isDry, isForced }: LossOptions,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const refused = new Map<string, readonly string[]>();
  if (isForced) return refused;
  const mayAsk = !isDry && process.stdin.isTTY;
  for (const document of documents) {
    const names = lostAttributes(document, stored).join(', ');
    if (names === '' || (mayAsk && (await isAgreed(`${document.uid}: remove ${names}? (y/N) `)))) continue;
    refused.set(document.uid, [`it would remove ${names}; use --force to store it`]);
  }
  return refused;
}

/** Returns the attributes that the stored model has and the new one lacks. */
function lostAttributes(document: ModelDocument, stored: readonly ModelDocument[]): readonly string[] {
  const before = stored.find(({ uid }) => uid === document.uid);
  return changeOf(document.uid, before as Model | undefined, document as unknown as Model).removed; // only their attributes are read
}

/** Resolves to whether the answer to a question on the terminal is yes. */
function isAgreed(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    lines.once('close', () => {
      resolve(false);
    });
    lines.question(question, (answer) => {
      resolve(/^y(es)?$/i.test(answer.trim()));
      lines.close();
    });
  });
}
