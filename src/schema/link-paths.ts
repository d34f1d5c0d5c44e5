import { findPlaces, oncePerType, type AttributePlace } from './attribute-places.js';
import type { Attribute, LinkAttribute, MorphAttribute } from './content-type.js';

/** A place where documents keep ids of other entries. */
export type LinkPath = AttributePlace<LinkAttribute | MorphAttribute>;

/** All stored links of a type, inside its components and dynamic zones too. */
export const linkPaths = oncePerType((type, registry): readonly LinkPath[] => findPlaces(type, registry, isStoredLink));

const isStoredLink = (attribute: Attribute): attribute is LinkAttribute | MorphAttribute =>
  attribute.kind === 'morph'
    ? attribute.writable
    : (attribute.kind === 'relation' || attribute.kind === 'media') && attribute.storage.kind === 'own';
