import { isScalarType } from './scalar-types.js';
import type { ScalarType } from './content-type.js';

/** The types that the custom fields of public plugins are stored as; the setting `api.customFields` adds others. */
const knownTypes: Readonly<Record<string, ScalarType>> = {
  'plugin::ckeditor.CKEditor': 'richtext',
  'plugin::ckeditor5.CKEditor': 'richtext',
  'plugin::cloudinary-media-library.cloudinary': 'string',
  'plugin::color-picker.color': 'string',
  'plugin::country-select.country': 'string',
  'plugin::field-uuid.uuid': 'uid',
  'plugin::fontawesome-strapi.icon': 'string',
  'plugin::google-maps.location-picker': 'json',
  'plugin::icon-picker.icon': 'string',
  'plugin::icons-field.icon': 'text',
  'plugin::map-field.map-field': 'json',
  'plugin::material-symbols.icon': 'string',
  'plugin::mdx.mdx': 'richtext',
  'plugin::multi-select.multi-select': 'json',
  'plugin::oembed.oembed': 'text',
  'plugin::react-icons.icon': 'string',
  'plugin::strapi-advanced-uuid.uuid': 'uid',
  'plugin::strapi-phone-validator.phone': 'string',
  'plugin::strapi-plugin-iconhub.iconhub': 'json',
  'plugin::strapi-tiptap-editor.strapi-tiptap-editor': 'richtext',
  'plugin::string-array.input': 'json',
  'plugin::table-field.table': 'json',
  'plugin::tagsinput.tags': 'json',
  'plugin::tinymce.tinymce': 'richtext',
  'plugin::video-field.video': 'json',
};

/** Returns the stored type of a custom field; null if it is not known. `configured` is the setting `api.customFields`. */
export function customFieldType(customField: string, configured: Readonly<Record<string, string>>): ScalarType | null {
  const type = Object.hasOwn(configured, customField) ? configured[customField] : undefined;
  if (type !== undefined && isScalarType(type)) return type;
  return Object.hasOwn(knownTypes, customField) ? (knownTypes[customField] ?? null) : null;
}
