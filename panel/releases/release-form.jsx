import { useIntl } from 'react-intl';
import { DateTimePicker, Flex, TextInput } from '@strapi/design-system';
import { label } from '../texts.js';

/** The name and the time of a release; `at` is null for one that is carried out by hand. */
export function ReleaseForm({ values, onChange, disabled = false }) {
  const { formatMessage } = useIntl();
  const set = (name) => (value) => onChange({ ...values, [name]: value });
  return (
    <Flex direction="column" alignItems="stretch" gap={4}>
      <TextInput
        name="name"
        label={formatMessage(label('release.name'))}
        value={values.name}
        disabled={disabled}
        onChange={({ target }) => set('name')(target.value)}
      />
      <DateTimePicker
        name="at"
        label={formatMessage(label('release.at'))}
        hint={formatMessage(label('release.atHint'))}
        value={values.at === null ? null : new Date(values.at)}
        disabled={disabled}
        onChange={(time) => set('at')(time?.toISOString() ?? null)}
        onClear={() => set('at')(null)}
      />
    </Flex>
  );
}
