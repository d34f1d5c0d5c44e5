import { isRecord } from '#base/values.js';
import type { Attribute, ContentType, Registry } from './content-type.js';
import type { Model, ModelDocument, ModelWarning } from './model.js';

/** Models as they are written. */
interface Written {
  /** Those in force. */
  readonly models: ReadonlyMap<string, Model>;
  readonly problems: ReadonlyMap<string, readonly string[]>;
  readonly warnings: ReadonlyMap<string, readonly ModelWarning[]>;
  readonly documents: readonly ModelDocument[];
}

/**
 * Returns the attributes that a model defines and that its type lacks or keeps empty, with the reasons. They include those of a
 * document that is refused while a former form of the model is in force.
 */
export function collectLeftOut(types: readonly ContentType[], written: Written): Registry['leftOut'] {
  const documents = new Map(written.documents.map((document) => [document.uid, document]));
  const concerned = types.filter(({ uid }) => written.problems.has(uid) || written.warnings.has(uid));
  const namesByType = concerned.map((type) => [type.uid, leftOutOf(type, documents.get(type.uid), written)] as const);
  return new Map(namesByType.filter(([, attributes]) => attributes.size > 0));
}

function leftOutOf(
  { uid, attributes }: ContentType,
  document: object | undefined,
  { models, problems, warnings }: Written,
): ReadonlyMap<string, string> {
  const refused = problems.get(uid);
  const names = [...attributesOf(models.get(uid)), ...(refused === undefined ? [] : attributesOf(document))];
  const reasonOf = (name: string): string =>
    (warnings.get(uid) ?? [])
      .filter(({ attribute }) => attribute === name)
      .map(({ text }) => text)
      .join('; ') || `the model is refused: ${(refused ?? []).join('; ')}`;
  return new Map(names.filter((name) => isEmpty(attributes.get(name))).map((name) => [name, reasonOf(name)]));
}

const attributesOf = (model: object | undefined): string[] =>
  model !== undefined && 'attributes' in model && isRecord(model.attributes) ? Object.keys(model.attributes) : [];

const isEmpty = (attribute: Attribute | undefined): boolean =>
  attribute === undefined || (attribute.kind === 'relation' && attribute.dangling);
