import { useIntl } from 'react-intl';
import styled from 'styled-components';
import { Flex } from '@strapi/design-system';
import { GenericInput, useCMEditViewDataManager } from '@strapi/helper-plugin';
import { SideBox } from './side-box.jsx';
import { label } from './texts.js';

/** The times of scheduled publishing in the side of a form, unless the view of the type places them among the fields. */
export const schedule = { name: 'schedule', zones: [['editView', 'informations', Schedule]] };

// a date and a time are wider than the side
const Times = styled(Flex)`
  fieldset > span > div {
    flex-wrap: wrap;
  }
`;

function Schedule() {
  const { formatMessage } = useIntl();
  const { allLayoutData, modifiedData, formErrors, onChange, isCreatingEntry, ...rights } = useCMEditViewDataManager();
  const type = allLayoutData.contentType;
  const placed = new Set((type?.layouts?.edit ?? []).flat(Infinity).map(({ name }) => name));
  const changeable = isCreatingEntry ? rights.createActionAllowedFields : rights.updateActionAllowedFields;
  const readable = isCreatingEntry ? changeable : rights.readActionAllowedFields;
  const names = ['publishAt', 'unpublishAt'].filter((name) => !placed.has(name) && readable.includes(name));
  if (type?.pluginOptions?.schedule?.enabled !== true || names.length === 0) return null;
  return (
    <SideBox title={formatMessage(label('schedule.title'))}>
      <Times direction="column" alignItems="stretch" gap={4}>
        {names.map((name) => (
          <GenericInput
            key={name}
            name={name}
            type="datetime"
            intlLabel={label(`schedule.${name}`)}
            value={modifiedData[name] ?? null}
            error={formErrors[name]?.id}
            disabled={!changeable.includes(name)}
            onChange={onChange}
          />
        ))}
      </Times>
    </SideBox>
  );
}
