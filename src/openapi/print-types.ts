import { actionsOn, pluginActions } from '../auth/known-actions.js';
import { allows, type Access, actionOf } from '../query/access.js';
import type { ContentType, Registry } from '../schema/content-type.js';
import { Components, schemasByName } from './components.js';
import { createSchema, filtersSchema, inputSchema } from './input-schemas.js';
import { printDeclarations } from './print-schema.js';
import { answerSchema } from './scalar-schemas.js';
import { anything, oneOf, orNull, record, type Schema } from '../http/json-schema.js';
import { shownAttributes, type ShownAttribute } from './shown-attributes.js';

/** Prints TypeScript declarations of the content types that the caller may use. `ContentTypes` lists them by name. */
export function printTypes(registry: Registry, access: Access): string {
  const components = new Components(registry, access);
  contentTypes(components);
  const { ContentTypes = {}, ...others } = components.schemas();
  return head + printDeclarations([['ContentTypes', ContentTypes], ...Object.entries(others)]);
}

const head = '// The content types of a Mangrove service. Generated from its models: changes are lost.\n\n';

/** Returns the content types on which the caller may do an action, by their name in paths; users and files by uid. */
function contentTypes(components: Components): Schema {
  const { byPluralName, bySingularName, types } = components.registry;
  const routed = [...byPluralName, ...bySingularName].filter(([, type]) => allowedOn(type, components).length > 0);
  const isShown = (uid: string): boolean => pluginActions[uid]?.some((action) => allows(components.access, action)) === true;
  const named = [...routed, ...[...types].filter(([uid]) => isShown(uid))];
  return components.named('ContentTypes', () =>
    record(Object.fromEntries(named.map(([name, type]) => [name, typeShape(type, components)]))),
  );
}

const allowedOn = (type: ContentType, { access }: Components): string[] =>
  type.uid.startsWith('api::') ? actionsOn(type).filter((action) => allows(access, actionOf(type, action))) : [];

/** Returns the shape of a type for the client: values, links, accepted values, and filters. */
const typeShape = (type: ContentType, components: Components): Schema =>
  components.ofType(type, 'Shape', () => {
    const actions = allowedOn(type, components);
    const shown = shownAttributes(type, components);
    return {
      ...record({
        uid: { const: type.uid },
        kind: { const: type.kind },
        actions: { enum: actions },
        values: record(schemasByName(shown, valueOf)),
        links: record(schemasByName(shown, (attribute) => linkOf(attribute, components))),
        input: actions.some(writes) ? inputSchema(type, components) : nothing,
        create: actions.includes('create') ? createSchema(type, components) : nothing,
        filters: type.kind === 'component' ? nothing : filtersSchema(type, components),
      }),
      description: type.description === '' ? type.uid : `${type.uid}: ${type.description}`,
    };
  });

const nothing: Schema = { enum: [] };

const writes = (action: string): boolean => ['create', 'update', 'createLocalization'].includes(action);

/** Returns the schema of a value. Only drafts may have null in required attributes. */
function valueOf(shown: ShownAttribute): Schema | null {
  if (shown.kind !== 'scalar') return null;
  const { attribute } = shown;
  return attribute.required ? answerSchema(attribute) : orNull(answerSchema(attribute));
}

/** Returns the schema of the targets of an attribute. The key names the form in which they are answered. */
function linkOf(shown: ShownAttribute, components: Components): Schema | null {
  const shapes = (types: readonly ContentType[]): Schema => oneOf(types.map((type) => typeShape(type, components)));
  switch (shown.kind) {
    case 'scalar':
      return null;
    case 'link': {
      const { attribute, target } = shown;
      const key = !attribute.many ? 'one' : attribute.kind === 'media' ? 'files' : 'many';
      return record({ [key]: shapes([target]) });
    }
    case 'morph':
      return record({ [shown.many ? 'targets' : 'target']: shown.targets === null ? anything : shapes(shown.targets) });
    case 'component':
      return record({ [shown.many ? 'parts' : 'part']: shapes([shown.part]) });
    case 'dynamiczone':
      return record({ zone: shapes(shown.parts) });
  }
}
