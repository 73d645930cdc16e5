"""Near-duplicates: records of the same paper, found over the whole index in linear time.

`facts` reads what records tell, `titles` and `people` make it comparable, `candidates` finds pairs
worth a look by MinHash, `compare` decides on each pair, and `groups` joins pairs. `sketch` is what
is kept of a segment, `state` what is known of a generation; `growing` goes from one to the next.
"""

from likewise.duplicates.find import THRESHOLD, Duplicates, find_duplicates
from likewise.duplicates.groups import Group, Member

__all__ = ["THRESHOLD", "Duplicates", "Group", "Member", "find_duplicates"]
