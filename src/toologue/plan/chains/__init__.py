"""Plans for the chains line: pairs of Apis, action sequences, what happens, and turns with all labels but no words."""
