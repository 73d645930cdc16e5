"""Near-duplicates: records of the same paper, found over the whole index in linear time.

`facts` reads what records tell, `titles` and `people` make it comparable, `candidates` finds pairs
worth a look by MinHash, `compare` decides on each pair, and `groups` joins pairs.
"""

from likewise.duplicates.find import THRESHOLD, Duplicates, find_duplicates
from likewise.duplicates.groups import Group, Member

__all__ = ["THRESHOLD", "Duplicates", "Group", "Member", "find_duplicates"]
