import type { StoredDocument } from '../../content/loaded.js';
import type { RelatedTables } from '../../mongo/related-tables.js';
import { morphDocuments, relatedDocuments } from '../../mongo/related-tables.js';
import type { Child, ComponentChild, LinkChild, MorphChild, Selection, ZoneChild } from '../../query/plan.js';
import { scalarTypes } from '../../schema/scalar-types.js';
import { applyList } from './apply-list.js';
import type { Row } from './loaded.js';

/** Turns a stored document, or an embedded component, into the row that resolvers read, with all that its selection populates. */
export function shapeRow(document: StoredDocument, selection: Selection, tables: RelatedTables): Row {
  const row: Record<string, unknown> = { id: document['_id'] ?? document['id'] };
  for (const { name, type } of selection.fields) {
    const value = document[name];
    row[name] = value === null || value === undefined ? null : scalarTypes[type].output(value);
  }
  for (const child of selection.children) row[child.key] = shapeChild(child, document, tables);
  return row;
}

function shapeChild(child: Child, document: StoredDocument, tables: RelatedTables): unknown {
  switch (child.kind) {
    case 'link':
      return shapeLink(child, document, tables);
    case 'morph':
      return shapeMorph(child, document, tables);
    case 'component':
      return shapeComponent(child, document, tables);
    case 'zone':
      return shapeZone(child, document, tables);
  }
}

function shapeLink(child: LinkChild, document: StoredDocument, tables: RelatedTables): unknown {
  const documents = relatedDocuments(tables, child, document);
  if (child.link.many) return documents.map((related) => shapeRow(related, child.selection, tables));
  return documents[0] === undefined ? null : shapeRow(documents[0], child.selection, tables);
}

function shapeMorph(child: MorphChild, document: StoredDocument, tables: RelatedTables): unknown {
  const rows = morphDocuments(tables, child, document).flatMap(({ uid, document: related }) => {
    const selection = child.selections.get(uid);
    return selection === undefined ? [] : [{ __type: uid, ...shapeRow(related, selection, tables) }];
  });
  return child.attribute.many ? rows : (rows[0] ?? null);
}

function shapeComponent(child: ComponentChild, document: StoredDocument, tables: RelatedTables): unknown {
  const value = document[child.attribute.name];
  const shape = (component: StoredDocument) => shapeRow(component, child.selection, tables);
  if (!child.attribute.repeatable) return value === null || value === undefined ? null : shape(value as StoredDocument);
  const components = Array.isArray(value) ? (value as readonly StoredDocument[]) : []; // stored in this form
  return (child.list === null ? components : applyList(components, child.list)).map(shape);
}

function shapeZone(child: ZoneChild, document: StoredDocument, tables: RelatedTables): unknown {
  const value = document[child.attribute.name];
  const items = Array.isArray(value) ? (value as readonly StoredDocument[]) : []; // stored in this form
  return items.flatMap((item) => {
    const selection = child.selections.get(String(item['__component']));
    return selection === undefined ? [] : [{ __component: item['__component'], ...shapeRow(item, selection, tables) }];
  });
}
