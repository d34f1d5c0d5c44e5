import type { ContentContext } from '#content/content-context.js';
import { listLocales, type ShownLocale } from '#content/locales.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import type { Panel } from '../panel.js';
import { conditions, shownTypes, subjectsOf } from './actions.js';
import { componentIn, permittedAttributes } from './field-paths.js';

/** Returns what the page of a role shows: conditions, and actions with the types and properties that they can be restricted to. */
export async function describePermissions(content: ContentContext, panel: Pick<Panel, 'actions' | 'conditions'>) {
  const { content: onContent, plugins, settings } = panel.actions();
  const { registry } = content.bind;
  const locales = await listLocales(content);
  const types = shownTypes(registry);
  const actions = onContent.map((action) => ({
    label: action.label,
    actionId: action.actionId,
    subjects: subjectsOf(action, registry).map(({ uid }) => uid),
    applyToProperties: action.applyToProperties,
  }));
  const section = (kind: ContentType['kind']) => ({
    subjects: types.filter((type) => type.kind === kind).map((type) => describeSubject(type, registry, locales)),
    actions,
  });
  return {
    conditions: [...conditions, ...panel.conditions().map(({ id, displayName, category }) => ({ id, displayName, category }))],
    sections: {
      plugins,
      settings,
      singleTypes: section('singleType'),
      collectionTypes: section('collectionType'),
    },
  };
}

function describeSubject(type: ContentType, registry: Registry, locales: readonly ShownLocale[]) {
  const fields = { label: 'Fields', value: 'fields', children: describeFields(type, registry) };
  const children = locales.map(({ code, name }) => ({ label: name, value: code }));
  const ofLocales = { label: 'Locales', value: 'locales', children };
  return { uid: type.uid, label: type.singularName, properties: type.localized ? [fields, ofLocales] : [fields] };
}

interface DescribedField {
  readonly label: string;
  readonly value: string;
  readonly required?: true;
  readonly children?: readonly DescribedField[];
}

const describeFields = (type: ContentType, registry: Registry): readonly DescribedField[] =>
  permittedAttributes(type).map((attribute) => {
    const { name } = attribute;
    const inner = componentIn(attribute, registry);
    return {
      label: name,
      value: name,
      ...('required' in attribute && attribute.required && { required: true as const }),
      ...(inner !== null && { children: describeFields(inner, registry) }),
    };
  });
